// Asynchronous copies to shared memory: done when they are waited for, and no sooner, so that a kernel which
// reads without waiting sees what was there before.

#include <cstring>
#include <vector>

#include "block.h"
#include "fiber.h"
#include "race.h"

namespace assay::cpu {
namespace {

struct Copy {
  void* to;
  const void* from;
  unsigned bytes, zeros;
  unsigned batch;
};
// Of the thread on each stack, which it has for itself until it ends.
struct Copies {
  std::vector<Copy> copies;
  unsigned batches = 0;  // that were committed
};
[[clang::no_destroy]] std::vector<Copies> copies_of_stack;

Copies& mine() {
  const auto stack = static_cast<std::size_t>(threads[current].stack);
  if (copies_of_stack.size() <= stack) copies_of_stack.resize(stack + 1);
  return copies_of_stack[stack];
}

}  // namespace

bool async_copies = false;

void async_copy(void* to, const void* from, unsigned bytes, unsigned zeros) {
  async_copies = true;
  Copies& own = mine();
  own.copies.push_back({to, from, bytes - zeros, zeros, own.batches});
  race::copy_begins(to, bytes, from, bytes - zeros, __builtin_return_address(0));
}

void async_commit() {
  ++mine().batches;
}

void async_wait(unsigned latest) {
  Copies& own = mine();
  const unsigned done = own.batches > latest ? own.batches - latest : 0;
  std::size_t i = 0;
  for (; i < own.copies.size() && own.copies[i].batch < done; ++i) {
    const Copy& copy = own.copies[i];
    std::memcpy(copy.to, copy.from, copy.bytes);
    std::memset(static_cast<char*>(copy.to) + copy.bytes, 0, copy.zeros);
    race::copy_ends(copy.to, copy.bytes + copy.zeros);
  }
  own.copies.erase(own.copies.begin(), own.copies.begin() + static_cast<std::ptrdiff_t>(i));
}

void async_forget() {
  Copies& own = mine();
  own.copies.clear();
  own.batches = 0;
}

}  // namespace assay::cpu
