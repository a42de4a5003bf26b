#pragma once

// Looks for races and for reads of what nobody has written (Build::race): what the other parts tell it.
//
// A plug-in of that build calls the runtime before each access to memory (callbacks.cpp). In the other builds
// all of this is nothing.
//
// Law: two accesses by different threads, of which one changes the memory, are a race unless one is ordered
// before the other (clocks.h), or both are atomic or volatile. A write that leaves the memory as it was
// changes nothing, so threads that all write one value are fine. In shared memory the lanes of one warp do
// not synchronise by volatile accesses.

#include <cstddef>
#include <cstdint>

#ifdef ASSAY_RACE
#include "clocks.h"
#endif

namespace assay::cpu::race {

#ifdef ASSAY_RACE

// What is kept of a block that is parked.
using Saved = Clocks;

void begin_call();
void end_call();
// `function` lies in the plug-in.
void begin_launch(const void* function, const unsigned char* statics, std::size_t static_bytes,
                  std::size_t dynamic_bytes, bool watched);
void end_launch();
void begin_block(int threads);
Saved park();
void unpark(const Saved& saved);

// The current thread's last write is done: before another thread runs.
void settle();
void barrier();
void warp(int warp, std::uint32_t lanes);
void grid_barrier();  // all blocks are there

// Device memory.
void allocated(const void* begin, std::size_t bytes, bool written);
void written(const void* begin, std::size_t bytes);
// A thread's stack was mapped: it is the thread's alone, whatever lay there before.
void stack(const void* begin, std::size_t bytes);

// An asynchronous copy of the current thread begins, and ends.
void copy_begins(const void* to, std::size_t bytes, const void* from, std::size_t from_bytes,
                 const void* place);
void copy_ends(const void* to, std::size_t bytes);

#else

struct Saved {};
inline void begin_call() {}
inline void end_call() {}
inline void begin_launch(const void*, const unsigned char*, std::size_t, std::size_t, bool) {}
inline void end_launch() {}
inline void begin_block(int) {}
inline Saved park() {
  return {};
}
inline void unpark(const Saved&) {}
inline void settle() {}
inline void barrier() {}
inline void warp(int, std::uint32_t) {}
inline void grid_barrier() {}
inline void allocated(const void*, std::size_t, bool) {}
inline void written(const void*, std::size_t) {}
inline void stack(const void*, std::size_t) {}
inline void copy_begins(const void*, std::size_t, const void*, std::size_t, const void*) {}
inline void copy_ends(const void*, std::size_t) {}

#endif

}  // namespace assay::cpu::race
