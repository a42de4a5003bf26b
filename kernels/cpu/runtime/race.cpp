// The detector: holds each access against what the shadow knows (shadow.h) and what is ordered (clocks.h).
//
// A write is reported before it happens, and whether it changes anything is seen after it; so it waits until
// the thread does anything else that is reported.

#ifdef ASSAY_RACE

#include "race.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../marks.h"
#include "accesses.h"
#include "block.h"
#include "limits.h"
#include "memory.h"
#include "section.h"

namespace assay::cpu {

extern unsigned char dynamic_arena[];

HeaderVariables header_variables;

namespace race {

bool watching = false;

namespace {

constexpr std::size_t kMostReports = 8;  // of a call

struct Range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool has(std::uintptr_t at) const { return at - begin < bytes; }
};

Range statics, dynamic;        // of the launch
std::vector<Range> variables;  // of the plug-in
std::uintptr_t base = 0;       // where the plug-in is loaded
const link_map* plugin = nullptr;

// Blocks are numbered as they begin, and anew after a barrier of the grid; those before `first_block` are of
// another launch or lie before that barrier.
std::uint32_t first_block = 1, next_block = 1;
[[clang::no_destroy]] std::vector<std::uint32_t> linear_of;  // which block of the grid `first_block + i` is
Clocks clocks;

void name_block() {
  linear_of.push_back(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
}
std::unordered_map<std::uintptr_t, Knowledge> released;  // by address; of this launch

[[clang::no_destroy]] std::set<std::pair<std::uint32_t, std::uint32_t>> reported;  // pairs of places

// A plain read of what others change by atomic operations is right where it only guesses what the thread's
// own atomic operation is about to find, as loops round atomicCAS begin. So such findings wait for the end of
// the launch, and count unless a thread was seen to do just that from the same place.
struct Suspicion {
  std::uint32_t read;  // its place
  std::string text, location;
};
[[clang::no_destroy]] std::vector<Suspicion> suspicions;
[[clang::no_destroy]] std::set<std::uint32_t> guesses;  // places

// The write that was announced last.
struct Pending {
  unsigned char* at;
  std::uint32_t bytes;  // 0: none
  How how;
  std::uint32_t place;
  unsigned char before[16];
} pending;

bool is_shared(std::uintptr_t at) {
  return statics.has(at) || dynamic.has(at);
}

std::uint32_t offset_of(const void* place) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(place) - base);
}

// --- text --------------------------------------------------------------------------------------------

std::string place_mark(std::uint32_t place) {
  char text[32];
  std::snprintf(text, sizeof text, "%cL%x%c", kMark, place - 1, kMark);  // in the call, not after it
  return text;
}

std::string who(const Stamp& stamp) {
  const unsigned b = linear_of[stamp.block - first_block], t = stamp.thread, x = blockDim.x, y = blockDim.y;
  char text[120];
  std::snprintf(text, sizeof text, "block (%u,%u,%u), thread (%u,%u,%u)", b % gridDim.x,
                b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y, t % x, t / x % y, t / x / y);
  return text;
}

std::string where(std::uintptr_t at) {
  const auto plus = [&](const char* what, std::uintptr_t begin) {
    return std::string(what) + ", byte " + std::to_string(at - begin);
  };
  if (statics.has(at)) return plus("static shared memory", statics.begin);
  if (dynamic.has(at)) return plus("dynamic shared memory", dynamic.begin);
  for (std::size_t k = 0; k < call.settings.tensor_count; ++k) {
    const MemoryRange& tensor = call.settings.tensors[k];
    const auto begin = reinterpret_cast<std::uintptr_t>(tensor.begin);
    if (at - begin >= tensor.bytes) continue;
    char text[48];
    std::snprintf(text, sizeof text, "%cT%zu:%zu%c", kMark, k, static_cast<std::size_t>(at - begin), kMark);
    return text;
  }
  if (const MemoryRange memory = allocation_at(reinterpret_cast<const void*>(at)); memory.begin)
    return plus(("allocated memory of " + std::to_string(memory.bytes) + " bytes").c_str(),
                reinterpret_cast<std::uintptr_t>(memory.begin));
  return "a __device__ variable";
}

std::string value_of(const unsigned char* bytes, std::size_t size) {
  std::string text = "0x";
  char digits[40];
  for (std::size_t i = size; i-- > 0;) {
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  double value = 0;
  float single = 0;
  if (size == 4) std::memcpy(&single, bytes, 4);
  if (size == 8) std::memcpy(&value, bytes, 8);
  if (size == 4) value = static_cast<double>(single);
  if (size != 4 && size != 8) return text;
  if (std::fabs(value) > 1e-30 && std::fabs(value) < 1e30) {
    std::snprintf(digits, sizeof digits, " (%.6g)", value);
  } else {
    long long integer = 0;
    std::memcpy(&integer, bytes, size);
    std::snprintf(digits, sizeof digits, " (%lld)", size == 4 ? static_cast<int>(integer) : integer);
  }
  return text + digits;
}

const char* verb(std::uint8_t how, bool writes) {
  if (how == kAtomic) return "atomic operation";
  if (how == kVolatile) return writes ? "volatile write" : "volatile read";
  return writes ? "write" : "read";
}

bool report_once(std::uint32_t first, std::uint32_t second) {
  return reported.size() < kMostReports && reported.emplace(first, second).second;
}

void report_race(const Access& before, bool before_writes, std::uintptr_t at, std::size_t bytes, How how,
                 bool writes, std::uint32_t place, const std::string& value) {
  if (!report_once(before.place, place)) return;
  const Stamp now = clocks.stamp(current);
  const bool blocks = before.block != now.block, warps = before.thread / 32 != now.thread / 32;
  std::string text = "kernel " + std::string(kernel_name()) + ": two threads of " +
                     (blocks  ? "different blocks"
                      : warps ? "different warps"
                              : "one warp") +
                     " access " + where(at) + ", and nothing orders them";
  text += std::string("\n  ") + verb(how, writes) + " of " + std::to_string(bytes) + " bytes by " + who(now) +
          " at " + place_mark(place) + value;
  text += std::string("\n  not ordered after the ") + verb(before.how, before_writes) + " by " +
          who(before.stamp()) + " at " + place_mark(before.place);
  const bool guess = how == kAtomic ? before.how == kPlain && !before_writes
                                    : how == kPlain && !writes && before.how == kAtomic;
  if (guess)
    suspicions.push_back({writes ? before.place : place, std::move(text), place_mark(place)});
  else
    add_finding("race", std::move(text), place_mark(place));
}

void report_unwritten(std::uintptr_t at, std::size_t bytes, std::uint32_t place) {
  if (!report_once(0, place)) return;
  add_finding("uninitialised read",
              position() + ": read of " + std::to_string(bytes) + " bytes of " + where(at) +
                  ", which nobody has written\n  at " + place_mark(place),
              place_mark(place));
}

// --- accesses ----------------------------------------------------------------------------------------

bool race_with(const Access& before, How how, bool shared) {
  if (before.block < first_block) return false;
  if (shared && before.block != clocks.block()) return false;  // its own memory
  if (clocks.knows(current, before.stamp())) return false;
  if (before.how == kPlain || how == kPlain) return true;
  return shared && before.thread >> 5 == current >> 5 && before.how == kVolatile && how == kVolatile;
}

void remember_read(Cell& cell, const Access& now) {
  Access& latest = cell.reads[0];
  if (latest.block == now.block && latest.thread == now.thread) {
    latest = now;
    return;
  }
  const bool other_warp =
      latest.block >= first_block && (latest.block != now.block || latest.thread >> 5 != now.thread >> 5);
  const Access& older = cell.reads[1];
  const bool older_counts = older.block >= first_block && !clocks.knows(current, older.stamp());
  if (other_warp || !older_counts) cell.reads[1] = latest;
  latest = now;
}

Access access_now(How how, std::uint32_t place) {
  const Stamp stamp = clocks.stamp(current);
  return {stamp.block, stamp.clock, stamp.thread, how, place};
}

// Visits the cells of [at, at + bytes): visit(cell, address, bytes of the cell's memory that are meant).
template <class F>
void for_cells(std::uintptr_t at, std::size_t bytes, F visit) {
  while (bytes > 0) {
    const std::uintptr_t offset = at % kPageBytes;
    const std::size_t here = std::min<std::size_t>(bytes, kPageBytes - offset);
    Page* const page = page_of(at);
    Cell* cell = page ? page->cells_of(offset, here) : nullptr;
    for (std::size_t done = 0; cell && done < here; done += std::size_t{1} << page->shift)
      visit(*cell++, at + done, std::size_t{1} << page->shift);
    at += here;
    bytes -= here;
  }
}

bool nobody_wrote(std::uintptr_t at, std::size_t bytes) {
  const Page* const page = page_of(at);
  if (!page) return false;
  const std::uintptr_t offset = at % kPageBytes;
  if (offset + bytes > kPageBytes) return false;
  return !any_written(*page, offset, bytes);
}

void look_at_writes_before(const Cell& cell, std::uintptr_t at, std::size_t bytes, const Access& now,
                           bool shared) {
  const How how{now.how};
  if (clocks.knows(current, cell.write.stamp()) && cell.earlier.block < first_block) return;
  // One that is ordered has written the same: no matter which of the two comes first.
  if (cell.same.block >= first_block && clocks.knows(current, cell.same.stamp())) return;
  for (const Access* const write : {&cell.write, &cell.earlier})
    if (race_with(*write, how, shared)) [[unlikely]]
      report_race(*write, true, at, bytes, how, false, now.place,
                  bytes <= 16 ? ", of " + value_of(reinterpret_cast<const unsigned char*>(at), bytes) : "");
}

void look_at_read(std::uintptr_t at, std::size_t bytes, How how, std::uint32_t place) {
  const bool shared = is_shared(at);
  const Access now = access_now(how, place);
  for_cells(at, bytes, [&](Cell& cell, std::uintptr_t, std::size_t) {
    if (cell.write.block >= first_block) look_at_writes_before(cell, at, bytes, now, shared);
    remember_read(cell, now);
  });
}

void acquire(std::uintptr_t at) {
  if (released.empty()) return;
  if (const auto found = released.find(at); found != released.end()) clocks.acquire(current, found->second);
}

void release(std::uintptr_t at) {
  Knowledge covered;
  clocks.release(current, covered);
  if (!covered.empty()) learn(released[at], covered, clocks.block());
}

// A write that is done: `before` is what the memory held, or null where it changed whatever it held.
void look_at_write(std::uintptr_t at, std::size_t bytes, How how, std::uint32_t place,
                   const unsigned char* before) {
  const bool shared = is_shared(at);
  const Access now = access_now(how, place);
  const auto* const after = reinterpret_cast<const unsigned char*>(at);
  for_cells(at, bytes, [&](Cell& cell, std::uintptr_t of_cell, std::size_t size) {
    const std::size_t from = of_cell - at;
    if (before && how != kAtomic && std::memcmp(before + from, after + from, size) == 0 &&
        !nobody_wrote(of_cell, size)) {
      cell.same = now;
      return;
    }
    const auto value = [&] {
      return before && bytes <= 16 ? ", " + value_of(before, bytes) + " becomes " + value_of(after, bytes)
                                   : std::string();
    };
    // Of several atomic operations the last one decides: who is ordered after it has the last word.
    if (race_with(cell.write, how, shared)) [[unlikely]]
      report_race(cell.write, true, at, bytes, how, true, place, value());
    for (Access& read : cell.reads) {
      if (race_with(read, how, shared)) [[unlikely]]
        report_race(read, false, at, bytes, how, true, place, value());
      read.block = 0;
    }
    if (how == kPlain || cell.write.block < first_block)
      cell.earlier.block = 0;
    else if (!clocks.knows(current, cell.write.stamp()))
      cell.earlier = cell.write;
    cell.write = now;
    cell.same.block = 0;
  });
  set_written(reinterpret_cast<const void*>(at), bytes, true);
}

// Not watched: what has no shadow, and what belongs to the shim's headers.
bool watched(std::uintptr_t at) {
  const Page* const page = page_of(at);
  return page && !page->is_stack &&
         at - reinterpret_cast<std::uintptr_t>(&header_variables) >= sizeof header_variables;
}

int find_plugin(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_addr != base) return 0;
  constexpr std::size_t kMost = std::size_t{64} << 20;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) && segment.p_memsz <= kMost)
      variables.push_back({base + segment.p_vaddr, segment.p_memsz});
  }
  return 1;
}

}  // namespace

void settle() {
  if (!pending.bytes) return;
  const Pending p = pending;
  pending.bytes = 0;
  look_at_write(reinterpret_cast<std::uintptr_t>(p.at), p.bytes, p.how, p.place, p.before);
}

void read(const void* at, std::size_t bytes, How how, const void* place) {
  settle();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (!watched(address)) return;
  if (nobody_wrote(address, bytes)) [[unlikely]]
    report_unwritten(address, bytes, offset_of(place));
  if (how != kPlain) [[unlikely]]
    acquire(address);
  look_at_read(address, bytes, how, offset_of(place));
}

void write(const void* at, std::size_t bytes, How how, const void* place) {
  settle();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (!watched(address)) return;
  if (how != kPlain) release(address);
  pending = {static_cast<unsigned char*>(const_cast<void*>(at)),
             static_cast<std::uint32_t>(bytes),
             how,
             offset_of(place),
             {}};
  std::memcpy(pending.before, at, bytes);
}

void change(const void* at, std::size_t bytes, const void* place) {
  settle();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (!watched(address)) return;
  for_cells(address, bytes, [](Cell& cell, std::uintptr_t, std::size_t) {
    const Access& latest = cell.reads[0];
    const Stamp now = clocks.stamp(current);
    if (latest.block == now.block && latest.thread == now.thread && latest.how == kPlain)
      guesses.insert(latest.place);
  });
  read(at, bytes, kAtomic, place);
  write(at, bytes, kAtomic, place);
}

void move(void* to, const void* from, std::size_t bytes, const void* place) {
  settle();
  const auto source = reinterpret_cast<std::uintptr_t>(from), target = reinterpret_cast<std::uintptr_t>(to);
  if (bytes == 0) return;
  if (watched(source)) look_at_read(source, bytes, kPlain, offset_of(place));
  if (!watched(target)) {
    std::memmove(to, from, bytes);
    return;
  }
  // Padding, and parts of a structure that have no value yet, are copied with the rest.
  std::vector<unsigned char> before(bytes);
  std::memcpy(before.data(), to, bytes);
  const bool unwritten = watched(source) && nobody_wrote(source, bytes);
  std::memmove(to, from, bytes);
  look_at_write(target, bytes, kPlain, offset_of(place), before.data());
  if (unwritten) set_written(to, bytes, false);
}

void fill(void* to, int value, std::size_t bytes, const void* place) {
  settle();
  const auto target = reinterpret_cast<std::uintptr_t>(to);
  if (bytes == 0) return;
  if (!watched(target)) {
    std::memset(to, value, bytes);
    return;
  }
  std::vector<unsigned char> before(bytes);
  std::memcpy(before.data(), to, bytes);
  std::memset(to, value, bytes);
  look_at_write(target, bytes, kPlain, offset_of(place), before.data());
}

void begin_call() {
  reported.clear();
  pending.bytes = 0;
  if (shrink_shadow()) {
    plugin = nullptr;
    for (const MemoryRange& memory : all_allocations()) track(memory.begin, memory.bytes, true);
  }
  for (std::size_t k = 0; k < call.settings.tensor_count; ++k) {
    const MemoryRange& tensor = call.settings.tensors[k];
    track(tensor.begin, tensor.bytes, tensor.written);
  }
}

// The tensors' memory is given back: what is put there next is not theirs to miss.
void end_call() {
  for (std::size_t k = 0; k < call.settings.tensor_count; ++k)
    set_written(call.settings.tensors[k].begin, call.settings.tensors[k].bytes, true);
}

void begin_launch(const void* function, const unsigned char* static_memory, std::size_t static_bytes,
                  std::size_t dynamic_bytes, bool watched_launch) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(function, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) && map && map != plugin) {
    plugin = map;
    base = map->l_addr;
    variables.clear();
    dl_iterate_phdr(find_plugin, nullptr);
    for (const Range& range : variables) track(reinterpret_cast<const void*>(range.begin), range.bytes, true);
  }
  statics = {reinterpret_cast<std::uintptr_t>(static_memory), static_bytes};
  dynamic = {reinterpret_cast<std::uintptr_t>(dynamic_arena), dynamic_bytes};
  first_block = next_block;
  linear_of.clear();
  released.clear();
  watching = watched_launch;
}

void end_launch() {
  settle();
  watching = false;
  for (Suspicion& s : suspicions)
    if (!guesses.contains(s.read)) add_finding("race", std::move(s.text), std::move(s.location));
  suspicions.clear();
  guesses.clear();
}

void begin_block(int threads) {
  clocks.begin(next_block++, threads);
  name_block();
  track(reinterpret_cast<const void*>(statics.begin), statics.bytes, false);
  track(reinterpret_cast<const void*>(dynamic.begin), dynamic.bytes, false);
}

Saved park() {
  settle();
  return clocks;
}

void unpark(const Saved& saved) {
  clocks = saved;
  if (clocks.block() < first_block) {  // it waited at a barrier of the grid
    clocks.rename(next_block++);
    name_block();
  }
  // Another block's use of shared memory has covered what was known of this one's.
  set_written(reinterpret_cast<const void*>(statics.begin), statics.bytes, true);
  set_written(reinterpret_cast<const void*>(dynamic.begin), dynamic.bytes, true);
}

void barrier() {
  clocks.barrier();
}
void warp(int warp, std::uint32_t lanes) {
  clocks.warp(warp, lanes);
}
void grid_barrier() {
  first_block = next_block;
  linear_of.clear();
  released.clear();
}

void allocated(const void* begin, std::size_t bytes, bool written) {
  track(begin, bytes, written);
}
void stack(const void* begin, std::size_t bytes) {
  set_stack(begin, bytes);
}
void written(const void* begin, std::size_t bytes) {
  set_written(begin, bytes, true);
}

void copy_begins(const void* to, std::size_t bytes, const void* from, std::size_t from_bytes,
                 const void* place) {
  if (!watching) return;
  settle();
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  if (from_bytes > 0 && watched(source)) look_at_read(source, from_bytes, kPlain, offset_of(place));
  if (!watched(target)) return;
  const bool unwritten = nobody_wrote(target, bytes);
  look_at_write(target, bytes, kPlain, offset_of(place), nullptr);
  if (unwritten) set_written(to, bytes, false);  // until it is waited for
}

void copy_ends(const void* to, std::size_t bytes) {
  if (watching) set_written(to, bytes, true);
}

}  // namespace race

void trace_atomic(const void* address, unsigned bytes) {
  if (!race::watching) return;
  const void* const place = __builtin_return_address(0);
  race::change(address, bytes, place);
}

void trace_fence(bool block_only) {
  if (!race::watching) return;
  race::settle();
  race::clocks.fence(current, block_only);
}

void trace_release(const void* address) {
  if (!race::watching) return;
  trace_fence(true);
  race::release(reinterpret_cast<std::uintptr_t>(address));
}

void trace_acquire(const void* address) {
  if (race::watching) race::acquire(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace assay::cpu

#endif
