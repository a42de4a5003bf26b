#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "race.h"

asm(R"(
.text
.globl assay_cpu_switch
.type assay_cpu_switch,@function
.p2align 4
assay_cpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size assay_cpu_switch,.-assay_cpu_switch
)");

namespace assay::cpu {
namespace {

#ifdef ASSAY_ASAN
constexpr std::size_t kStackBytes = 256 << 10;
#else
constexpr std::size_t kStackBytes = 128 << 10;
#endif
constexpr std::size_t kGuardBytes = 4096;

}  // namespace

Stack stacks[kMostStacks];

Stack stack_of(int index) {
  Stack& stack = stacks[index];
  if (stack.bottom) return stack;
  void* at = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (at == MAP_FAILED) {
    std::fprintf(stderr, "assay: no memory for the stack of a CUDA thread\n");
    std::abort();
  }
  mprotect(at, kGuardBytes, PROT_NONE);
  stack = {static_cast<char*>(at) + kGuardBytes, kStackBytes};
  race::stack(stack.bottom, stack.size);
  return stack;
}

int overflowed_stack(const void* address) {
  const char* at = static_cast<const char*>(address);
  for (int i = 0; i < kMostStacks; ++i)
    if (stacks[i].bottom && at < stacks[i].bottom && at >= stacks[i].bottom - kGuardBytes) return i;
  return -1;
}

void* prepare(const Stack& stack, void (*entry)(), int colour) {
  char* top = stack.bottom + stack.size - 64 - static_cast<std::size_t>(colour & 63) * 128;
  auto* words = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--words = nullptr;  // the return address of entry, so that the stack is aligned as after a call
  *--words = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--words = nullptr;
  return words;
}

}  // namespace assay::cpu
