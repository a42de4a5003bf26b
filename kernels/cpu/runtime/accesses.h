#pragma once

// The accesses of the running thread, as the callbacks (callbacks.cpp) report them. `place` is an address in
// the plug-in's code.

#include <cstddef>

#include "shadow.h"

namespace assay::cpu::race {

extern bool watching;  // a launch runs that is to be watched

void read(const void* at, std::size_t bytes, How how, const void* place);
// Of at most 16 bytes, about to happen.
void write(const void* at, std::size_t bytes, How how, const void* place);
// An atomic operation, about to happen.
void change(const void* at, std::size_t bytes, const void* place);
// A copy of memory, or a fill: done here.
void move(void* to, const void* from, std::size_t bytes, const void* place);
void fill(void* to, int value, std::size_t bytes, const void* place);

}  // namespace assay::cpu::race
