#pragma once

// What there is to choose from for one subject: the gates that apply, what each draws, and the extents that
// are worth trying. Computed once, as gates and contracts are slow to ask.

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "gates/gate.h"

namespace assay::fuzz {

// Elements of all tensors of a case beyond which a fuzzer does not run it, a row that has a result counted as
// kRow more: many kernels have a warp or a block of threads for each. Instances past 2^31 elements are `assay
// check`'s.
constexpr std::int64_t kMostElements = 40'000;
constexpr std::int64_t kRow = 32;

class Menu {
 public:
  explicit Menu(const Subject& subject);

  struct Entry {
    const Gate* gate;
    Draw draw;
    bool any_contents;  // its law speaks of no values: memory, launches, determinism
  };

  const Subject& subject() const { return subject_; }
  const std::vector<Entry>& gates() const { return gates_; }  // in the order of the battery
  const std::vector<Fill>& fills() const { return fills_; }   // that any of them draws
  const std::vector<Order>& orders() const { return orders_; }
  const std::vector<Special>& plants() const { return plants_; }
  bool has_index_input() const { return has_index_input_; }

  // An extent at which kernels change their way: near multiples of tiles, near numbers of the source and of
  // the domain's conditions, or small.
  std::int64_t extent(CounterRandom& random) const;

  // In the domain, and small enough to be run often.
  bool affordable(const Case& c, std::int64_t most = kMostElements) const;

 private:
  const Subject& subject_;
  std::vector<Entry> gates_;
  std::vector<Fill> fills_;
  std::vector<Order> orders_;
  std::vector<Special> plants_;
  std::vector<std::int64_t> named_;  // numbers of the domain's conditions
  bool has_index_input_ = false;
};

// Whether the gate's law may be asked of the case: its contents are of the kinds that the gate draws. Order
// of elements, addresses and extents do not matter for that.
bool may_judge(const Menu::Entry& entry, const Case& c, const Menu& menu);

}  // namespace assay::fuzz
