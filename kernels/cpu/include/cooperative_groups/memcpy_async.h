#pragma once

// cooperative_groups::memcpy_async: the group's threads share the copy; wait() ends with the group's barrier.

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class Group>
void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t threads = group.size(), rank = group.thread_rank();
  const size_t share = (bytes + threads - 1) / threads, first = share * rank;
  if (first < bytes)
    assay::cpu::async_copy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                           static_cast<unsigned>(share < bytes - first ? share : bytes - first), 0);
  assay::cpu::async_commit();
}
template <class Group, class T>
void memcpy_async(const Group& group, T* to, size_t room, const T* from, size_t count) {
  cooperative_groups::memcpy_async(group, to, static_cast<const void*>(from),
                                   (count < room ? count : room) * sizeof(T));
}
template <unsigned Latest, class Group>
void wait_prior(const Group& group, ASSAY_SITE) {
  assay::cpu::async_wait(Latest);
  group.sync(file, line);
}
template <class Group>
void wait(const Group& group, ASSAY_SITE) {
  assay::cpu::async_wait(0);
  group.sync(file, line);
}

}  // namespace cooperative_groups
