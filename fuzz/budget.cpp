#include "fuzz/budget.h"

#include "fuzz/mutate.h"
#include "properties/generate.h"

namespace assay::fuzz {

Spent spend(const Menu& menu, Runner& runner, std::int64_t executions, std::uint64_t seed,
            const std::atomic<bool>* stop) {
  Spent spent;
  if (menu.gates().empty()) return spent;
  Battery battery(menu, runner);
  CounterRandom random(seed, 0xb0d);
  std::vector<Case> parents;
  std::vector<std::uint8_t> used;
  // What was shown before is not known here: a second run is for each case whose turn it is.
  const auto never_new = [](const Observation&) { return false; };
  const auto next = [&](std::int64_t number) {
    const Gate& gate = *menu.gates()[static_cast<std::size_t>(number / 2) % menu.gates().size()].gate;
    if (number % 2 != 0 && !parents.empty())
      return mutate(parents[random.below(parents.size())], menu, random.next(), used);
    return draw_case(menu.subject(), gate, seed, static_cast<std::uint64_t>(number));
  };
  for (; spent.executions < executions && !(stop && *stop); ++spent.executions) {
    const Case c = next(spent.executions);
    if (menu.affordable(c)) parents.push_back(c);
    const Observation seen = battery.observe(c, never_new);
    spent.broken = seen.broken;
    if (seen.gate == nullptr && !seen.broken) continue;
    spent.found = c;
    spent.gate = seen.gate;
    spent.verdict = seen.verdict;
    break;
  }
  return spent;
}

}  // namespace assay::fuzz
