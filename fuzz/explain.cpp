#include "fuzz/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/text.h"
#include "properties/generate.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Beyond this many elements a case is no quick question.
constexpr double kMostElements = 1 << 17;

constexpr std::int64_t kExtents[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12,  13,  15,  16,
                                     17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129};
constexpr std::int64_t kModuli[] = {2, 4, 8, 16, 32, 64, 128};

// "a, b or c"
std::string either(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return join({words.begin(), words.end() - 1}, ", ") + " or " + words.back();
}

// Of one extent: where it fails.
struct Rule {
  std::string text;
  std::function<bool(std::int64_t)> fails;
  std::int64_t next = 0;  // a larger extent that must fail, too; 0: none
};

struct Answer {
  std::int64_t extent;
  bool fails;
};

class Explainer {
 public:
  Explainer(const Case& shrunk, const Subject& subject, const ExplainBudget& budget,
            const std::function<bool(const Case&)>& fails)
      : shrunk_(shrunk),
        subject_(subject),
        signature_(subject.contract.signature()),
        budget_(budget),
        fails_(fails) {}

  Explanation run() {
    for (std::size_t i = 0; i < shrunk_.plants.size(); ++i) plant(i);
    for (std::size_t d = 0; d < shrunk_.instance.dims.size(); ++d) extent(d);
    dtype();
    for (std::size_t i = 0; i < shrunk_.inputs.size(); ++i) contents(i);
    seed();
    for (std::size_t i = 0; i < shrunk_.inputs.size(); ++i)
      offset(signature_.inputs[i].name, shrunk_.inputs[i].offset,
             [i](Case& c, std::uint8_t value) { c.inputs[i].offset = value; });
    for (std::size_t i = 0; i < shrunk_.output_offsets.size(); ++i)
      offset(signature_.outputs[i].name, shrunk_.output_offsets[i],
             [i](Case& c, std::uint8_t value) { c.output_offsets[i] = value; });
    for (std::size_t i = 0; i < shrunk_.instance.attributes.size(); ++i) attribute(i);
    return std::move(result_);
  }

 private:
  bool over() const { return result_.runs >= budget_.runs || Clock::now() - start_ >= budget_.time; }

  // Whether the changed case fails; nothing where it is outside the domain, too large, or time is over.
  template <class Change>
  std::optional<bool> ask(Change change) {
    Case c = shrunk_;
    change(c);
    if (c == shrunk_) return true;
    double elements = 1;
    for (std::int64_t n : c.instance.dims) elements *= static_cast<double>(n);
    if (over() || elements > kMostElements || !in_domain(c, subject_)) return std::nullopt;
    ++result_.runs;
    return fails_(c);
  }

  void holds(std::string text) { result_.must_hold.push_back(std::move(text)); }
  void any(std::string text) { result_.do_not_matter.push_back(std::move(text)); }

  // --- extents

  std::optional<bool> ask_extent(std::size_t d, std::int64_t n) {
    return ask([&](Case& c) { c.instance.dims[d] = n; });
  }

  // The rules that agree with what was answered, the simplest first.
  std::vector<Rule> rules(const std::string& name, std::int64_t own,
                          const std::vector<Answer>& answers) const {
    std::vector<Rule> candidates;
    std::int64_t least = own, most = own;
    for (const Answer& answer : answers)
      if (answer.fails) least = std::min(least, answer.extent), most = std::max(most, answer.extent);
    candidates.push_back({fmt::format("{} >= {}", name, least), [least](auto n) { return n >= least; }});
    candidates.push_back({fmt::format("{} <= {}", name, most), [most](auto n) { return n <= most; }});
    for (const bool bounded : {false, true}) {
      const std::int64_t from = bounded ? least : 0;
      const std::string bound = bounded ? fmt::format(" and >= {}", least) : "";
      for (std::int64_t m : kModuli) {
        const std::int64_t r = own % m;
        candidates.push_back({r == 0 ? fmt::format("{} is a multiple of {}{}", name, m, bound)
                                     : fmt::format("{} = {} mod {}{}", name, r, m, bound),
                              [=](auto n) { return n >= from && n % m == r; }, own + m});
        if (r != 0)
          candidates.push_back({fmt::format("{} is no multiple of {}{}", name, m, bound),
                                [=](auto n) { return n >= from && n % m != 0; }, own + m});
      }
    }
    candidates.push_back({fmt::format("{} = {}", name, own), [own](auto n) { return n == own; }});
    std::erase_if(candidates, [&](const Rule& rule) {
      return std::any_of(answers.begin(), answers.end(),
                         [&](const Answer& answer) { return rule.fails(answer.extent) != answer.fails; });
    });
    return candidates;
  }

  // Where monotone answers turn, to the last unit.
  bool bisect(std::size_t d, std::vector<Answer>& answers) {
    const auto turn = std::adjacent_find(answers.begin(), answers.end(),
                                         [](const auto& a, const auto& b) { return a.fails != b.fails; });
    if (turn == answers.end()) return true;
    const auto once = std::adjacent_find(turn + 1, answers.end(),
                                         [](const auto& a, const auto& b) { return a.fails != b.fails; });
    if (once != answers.end()) return true;
    Answer low = *turn, high = *(turn + 1);
    while (high.extent - low.extent > 1) {
      const std::int64_t middle = low.extent + (high.extent - low.extent) / 2;
      const auto fails = ask_extent(d, middle);
      if (!fails) return false;
      answers.push_back({middle, *fails});
      (*fails == low.fails ? low : high) = {middle, *fails};
    }
    return true;
  }

  void extent(std::size_t d) {
    const std::string& name = signature_.dims[d];
    const std::int64_t own = shrunk_.instance.dims[d];
    std::set<std::int64_t> extents(std::begin(kExtents), std::end(kExtents));
    extents.insert(own);
    std::vector<Answer> answers;
    for (std::int64_t n : extents)
      if (const auto fails = ask_extent(d, n)) answers.push_back({n, *fails});
    if (over() || answers.size() < 6) return;
    const auto failing = std::count_if(answers.begin(), answers.end(), [](auto& a) { return a.fails; });
    if (failing == static_cast<std::ptrdiff_t>(answers.size())) return any(name);
    if (!bisect(d, answers)) return;
    // What a rule foretells of extents that were not asked.
    for (const Rule& rule : rules(name, own, answers)) {
      int right = 0;
      bool wrong = rule.next != 0 && !ask_extent(d, rule.next).value_or(false);
      for (std::int64_t n : {11, 10, 14, 18, 19, 20, 21, 23, 25, 27, 28, 35, 40, 47, 96}) {
        if (right >= 8 || wrong) break;
        const auto fails = ask_extent(d, n);
        if (!fails) continue;
        wrong = *fails != rule.fails(n);
        ++right;
      }
      if (over()) return;
      if (!wrong) return holds(rule.text);
    }
  }

  // --- the rest

  void dtype() {
    std::vector<std::string> failing;
    std::size_t asked = 0;
    for (DType dtype : subject_.dtypes)
      if (const auto fails = ask([&](Case& c) { c.instance.dtype = dtype; })) {
        ++asked;
        if (*fails) failing.emplace_back(name(dtype));
      }
    if (asked < 2 || asked < subject_.dtypes.size()) return;
    if (failing.size() == asked) return any("dtype");
    holds("dtype " + either(failing));
  }

  void contents(std::size_t i) {
    const std::string& tensor = signature_.inputs[i].name;
    if (signature_.inputs[i].type.kind != ElementType::Kind::floating) return;
    std::vector<std::string> failing, passing;
    for (int f = 0; f < kFills; ++f) {
      const auto fails = ask([&](Case& c) { c.inputs[i].fill = static_cast<Fill>(f); });
      if (fails) (*fails ? failing : passing).emplace_back(name(static_cast<Fill>(f)));
    }
    if (over()) return;
    if (passing.empty() && failing.size() > 1)
      any("fill of " + tensor);
    else if (failing.size() <= 3 && passing.size() >= 3)
      holds(fmt::format("{} filled with {}", tensor, either(failing)));
    else if (passing.size() <= 3)
      holds(fmt::format("{} filled with anything but {}", tensor, either(passing)));

    passing.clear(), failing.clear();
    for (int o = 0; o < kOrders; ++o) {
      const auto fails = ask([&](Case& c) { c.inputs[i].order = static_cast<Order>(o); });
      if (fails) (*fails ? failing : passing).emplace_back(name(static_cast<Order>(o)));
    }
    if (over()) return;
    if (passing.empty())
      any("order of " + tensor);
    else if (shrunk_.inputs[i].order != Order::drawn)
      holds(fmt::format("{} in order {}", tensor, either(failing)));
  }

  void seed() {
    int failing = 0, asked = 0;
    for (std::uint64_t seed = 101; seed <= 108; ++seed)
      if (const auto fails = ask([&](Case& c) { c.seed = seed; })) ++asked, failing += *fails;
    if (asked < 8) return;
    if (failing == asked) any("seed");
    if (failing == 0) holds(fmt::format("the contents of seed {}", shrunk_.seed));
  }

  template <class Set>
  void offset(const std::string& tensor, std::uint8_t own, Set set) {
    int failing = 0, asked = 0;
    for (std::uint8_t value : {0, 1, 2, 3})
      if (value != own)
        if (const auto fails = ask([&](Case& c) { set(c, value); })) ++asked, failing += *fails;
    if (asked < 3) return;
    if (failing == asked) return any("address of " + tensor);
    if (own == 0 ? failing == 0 : failing == asked - 1)
      holds(fmt::format("{} {} a 256-byte boundary", tensor, own == 0 ? "on" : "off"));
  }

  void attribute(std::size_t i) {
    const Attribute& attribute = signature_.attributes[i];
    if (i < subject_.passed_attributes.size() && !subject_.passed_attributes[i]) return;
    int failing = 0, asked = 0;
    for (double value : {0.0, 1e-5, 0.5, 1.0, 2.0, -1.0, attribute.fallback.value_or(1)})
      if (value != shrunk_.instance.attributes[i])
        if (const auto fails = ask([&](Case& c) { c.instance.attributes[i] = value; }))
          ++asked, failing += *fails;
    if (asked < 2) return;
    if (failing == asked) any(attribute.name);
    if (failing == 0) holds(fmt::format("{} = {}", attribute.name, shrunk_.instance.attributes[i]));
  }

  // --- plants

  void plant(std::size_t i) {
    const Plant& own = shrunk_.plants[i];
    const auto without =
        ask([&](Case& c) { c.plants.erase(c.plants.begin() + static_cast<std::ptrdiff_t>(i)); });
    if (!without) return;
    const std::string& tensor = signature_.inputs[own.input].name;
    if (*without) return any(fmt::format("the {} in {}", name(own.value), tensor));
    std::vector<std::string> values;
    for (int s = 0; s < kSpecials; ++s)
      if (const auto fails = ask([&](Case& c) { c.plants[i].value = static_cast<Special>(s); });
          fails && *fails)
        values.emplace_back(name(static_cast<Special>(s)));
    if (over()) return;
    holds(fmt::format("{} holds {}{}", tensor,
                      values.size() > 4 ? std::string(name(own.value)) : either(values),
                      place(i, &Plant::column, "of a row")));
  }

  // " within the last 3 of a row"; empty where the place does not matter or its pattern is not plain.
  std::string place(std::size_t i, Place Plant::* where, std::string_view what) {
    constexpr std::uint16_t kDistances = 6;
    const auto reach =
        [&](bool from_end) -> std::optional<int> {  // how many from that end fail, all then pass
      int failing = 0;
      bool stopped = false;
      for (std::uint16_t distance = 0; distance < kDistances; ++distance) {
        const auto fails = ask([&](Case& c) { c.plants[i].*where = Place{from_end, distance}; });
        if (!fails || (stopped && *fails)) return std::nullopt;
        stopped = stopped || !*fails;
        failing += *fails;
      }
      return failing;
    };
    const auto first = reach(false), last = reach(true);
    const auto within = [&](int n, std::string_view end) {
      return n == 1 ? fmt::format(" at the {} place {}", end, what)
                    : fmt::format(" within the {} {} {}", end, n, what);
    };
    if (!first || !last) return "";
    if (*first == 0 && *last > 0 && *last < kDistances) return within(*last, "last");
    if (*last == 0 && *first > 0 && *first < kDistances) return within(*first, "first");
    return "";
  }

  const Case& shrunk_;
  const Subject& subject_;
  const Signature& signature_;
  const ExplainBudget& budget_;
  const std::function<bool(const Case&)>& fails_;
  const Clock::time_point start_ = Clock::now();
  Explanation result_;
};

}  // namespace

std::string to_string(const Explanation& explanation) {
  std::string text;
  if (!explanation.must_hold.empty()) text = "fails where " + join(explanation.must_hold, "; ");
  if (!explanation.do_not_matter.empty())
    text += fmt::format("{}whatever these are: {}", text.empty() ? "fails " : "; ",
                        join(explanation.do_not_matter, ", "));
  return text;
}

Explanation explain(const Case& shrunk, const Subject& subject, const ExplainBudget& budget,
                    const std::function<bool(const Case&)>& fails) {
  return Explainer(shrunk, subject, budget, fails).run();
}

}  // namespace assay::fuzz
