#pragma once

// Stacks and the switch between them.
//
// A switch saves the callee-saved registers and the stack pointer: kernels change neither the rounding mode
// nor the x87 control word.

#include <cstddef>

// ASSAY_ASAN: the runtime of the checked build, which is itself compiled without the sanitizers.
#ifdef ASSAY_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace assay::cpu {

struct Stack {
  char* bottom = nullptr;
  std::size_t size = 0;
};

inline constexpr int kMostStacks = 16 << 10;
extern Stack stacks[kMostStacks];

// The stack of fiber `index`, with a guard page below; mapped at first use and kept.
Stack stack_of(int index);
// Which fiber's guard page an address is in, or -1: a stack overflow.
int overflowed_stack(const void* address);

// A stack pointer that enters `entry` on `stack` when switched to. `colour` spreads the tops of the stacks
// over the cache's sets.
void* prepare(const Stack& stack, void (*entry)(), int colour);

extern "C" void assay_cpu_switch(void** saved, void* next);

// Tells AddressSanitizer. `leaving_for_good`: the current stack's frames are given up; the kernel's have
// returned by then, so no red zones stay behind, or forget_threads() clears them.
struct Switch {
#ifdef ASSAY_ASAN
  static void to(void** saved, void* next, const Stack& target, bool leaving_for_good) {
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(leaving_for_good ? nullptr : &fake, target.bottom, target.size);
    assay_cpu_switch(saved, next);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  }
  // First thing on a new stack; answers where the switch came from.
  static Stack arrive() {
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    return {static_cast<char*>(const_cast<void*>(bottom)), size};
  }
#else
  static void to(void** saved, void* next, const Stack&, bool) { assay_cpu_switch(saved, next); }
  static Stack arrive() { return {}; }
#endif
};

}  // namespace assay::cpu
