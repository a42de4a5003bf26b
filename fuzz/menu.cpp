#include "fuzz/menu.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "gates/execute.h"
#include "gates/sparse.h"
#include "properties/generate.h"

namespace assay::fuzz {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}
template <class T>
void add(std::vector<T>& list, const T& value) {
  if (!contains(list, value)) list.push_back(value);
}

// Finite values that are no special case to any law of values; no gate plants them, a fuzzer may.
constexpr Special kOrdinary[] = {Special::one, Special::minus_one, Special::spike, Special::dip};
bool is_ordinary(Special special) {
  return std::find(std::begin(kOrdinary), std::end(kOrdinary), special) != std::end(kOrdinary);
}
bool is_index_special(Special special) {
  return special == Special::first || special == Special::last || special == Special::ignored;
}

void add_numbers(std::string_view text, std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::int64_t n = 0;
    const std::size_t start = i;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && n < 1'000'000; ++i)
      n = 10 * n + (text[i] - '0');
    if (i > start && n >= 2) add(numbers, n);
  }
}

}  // namespace

Menu::Menu(const Subject& subject) : subject_(subject) {
  for (const Gate* gate : all_gates()) {
    if (gate->not_applicable(subject)) continue;
    Entry entry{gate, gate->draw(subject), false};
    entry.any_contents = gate->id == "RES-01" || gate->id == "RES-02" || gate->id == "ORD-02";
    for (const Weighted& weighted : entry.draw.fills) add(fills_, weighted.fill);
    for (const Order order : entry.draw.orders) add(orders_, order);
    for (const Special special : entry.draw.plants) add(plants_, special);
    gates_.push_back(std::move(entry));
  }
  for (const Special special : kOrdinary) add(plants_, special);
  if (fills_.empty()) fills_.push_back(Fill::normal);
  if (orders_.empty()) orders_.push_back(Order::drawn);
  for (const TensorSignature& input : subject.contract.signature().inputs)
    has_index_input_ |= input.type.kind == ElementType::Kind::index;
  add_numbers(subject.where.text(), named_);
}

std::int64_t Menu::extent(CounterRandom& random) const {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
  };
  const auto near = [&](std::int64_t n) { return std::max<std::int64_t>(n + below(3) - 1, 1); };
  switch (below(8)) {
    case 0:
      return below(9);  // also none
    case 1:
      return 1 + below(160);
    case 2:
      if (!subject_.hints.empty()) {
        const std::int64_t hint = subject_.hints[random.below(subject_.hints.size())];
        return near(hint * (below(2) ? 1 : 1 + below(8)));
      }
      [[fallthrough]];
    case 3:
      if (!named_.empty()) return named_[random.below(named_.size())] * (1 + below(4));
      [[fallthrough]];
    case 4:
      return near(std::int64_t{1} << below(12));
    default: {
      const std::int64_t tile = std::int64_t{4} << below(7);  // 4 to 256
      return near(tile * (1 + below(8)));
    }
  }
}

bool Menu::affordable(const Case& c, std::int64_t most) const {
  std::int64_t product = 1;  // before anything is computed from it
  for (const std::int64_t n : c.instance.dims) {
    if (n < 0 || n > 1'000'000) return false;
    product *= std::max<std::int64_t>(n, 1);
    if (product > 100'000'000) return false;
  }
  if (!in_domain(c, subject_)) return false;
  const auto shapes = shapes_of(subject_.contract, c.instance);
  if (!shapes || is_huge(*shapes)) return false;
  std::int64_t rows = 0;
  for (const TensorSpec& spec : shapes->inputs)
    if (!spec.shape.empty() && spec.shape.back() > 0)
      rows = std::max(rows, count(spec.shape) / spec.shape.back());
  // Not those of a matrix that is multiplied from the right: no more work than there are results.
  std::int64_t results = 0;
  for (const TensorSpec& spec : shapes->outputs) results += count(spec.shape);
  return elements(*shapes) + kRow * std::min(rows, results) <= most;
}

bool may_judge(const Menu::Entry& entry, const Case& c, const Menu& menu) {
  const Subject& subject = menu.subject();
  const bool primary = c.instance.dtype == subject.dtypes.front();
  if (entry.draw.dtypes == Dtypes::primary && !primary) return false;
  if (entry.draw.dtypes == Dtypes::others && primary) return false;
  if (entry.any_contents) return true;

  const std::vector<TensorSignature>& inputs = subject.contract.signature().inputs;
  for (std::size_t i = 0; i < c.inputs.size() && i < inputs.size(); ++i) {
    if (inputs[i].type.kind == ElementType::Kind::index) continue;
    if (c.inputs[i].scale != 0 && !entry.draw.scales) return false;
    if (std::none_of(entry.draw.fills.begin(), entry.draw.fills.end(),
                     [&](const Weighted& weighted) { return weighted.fill == c.inputs[i].fill; }))
      return false;
  }
  // Laws of special values hold beside each other's; laws of values beside ordinary ones alone.
  const bool special = entry.draw.min_plants > 0 || entry.draw.max_plants > 0;
  const bool classes = contains(entry.draw.plants, Special::nan);
  int own = 0;
  for (const Plant& plant : c.plants) {
    if (is_index_special(plant.value)) continue;
    if (contains(entry.draw.plants, plant.value)) {
      ++own;
    } else if (special && !classes) {
      return false;
    } else if (!special && !is_ordinary(plant.value)) {
      return false;
    }
  }
  return own >= entry.draw.min_plants;
}

}  // namespace assay::fuzz
