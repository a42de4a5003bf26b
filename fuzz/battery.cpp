#include "fuzz/battery.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/codec.h"
#include "gates/execute.h"
#include "properties/confirm.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint8_t kPoisons[] = {0xA5, 0x3F};
// A gate judges every element, which takes long for large cases.
constexpr std::uint64_t kFullGateEvery = 16, kFullGateOfLargeEvery = 64;
constexpr std::int64_t kLarge = 8192;         // elements of all tensors
constexpr std::uint64_t kSecondRunEvery = 4;  // of the cases that show nothing new
// A kernel that hangs again and again is not waited for as long as the first time.
constexpr int kPatientHangs = 2;

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

std::uint64_t hash_of(const Case& c) {
  const std::vector<std::byte> bytes = encode(c);
  return XXH3_64bits(bytes.data(), bytes.size());
}

enum ClassBit : std::uint8_t { finite = 1, zero = 2, pos_inf = 4, neg_inf = 8, nan = 16, subnormal = 32 };
std::uint8_t class_of(double value, double least_normal) {
  if (std::isnan(value)) return nan;
  if (std::isinf(value)) return value > 0 ? pos_inf : neg_inf;
  if (value == 0) return zero;
  return std::fabs(value) < least_normal ? subnormal : finite;
}

// Counts the gates' own calls, and waits less for a kernel that is known to hang.
class Counting final : public Runner {
 public:
  Counting(Runner& runner, std::int64_t& runs, bool impatient)
      : runner_(runner), impatient_runner_(runner), runs_(runs), impatient_(impatient) {}
  RunResult run(const Launch& launch, Build build) override {
    ++runs_;
    return impatient_ ? impatient_runner_.run(launch, build) : runner_.run(launch, build);
  }
  SparseResult run_sparse(const SparseLaunch& launch) override { return runner_.run_sparse(launch); }
  void restart() override { runner_.restart(); }
  std::span<const std::uint8_t> branches() const override { return runner_.branches(); }

 private:
  Runner& runner_;
  ImpatientRunner impatient_runner_;
  std::int64_t& runs_;
  bool impatient_;
};

// Which elements of an output are judged, ascending.
std::vector<std::int64_t> sample(const Case& c, const Tensor& got, const std::vector<std::uint8_t>& classes,
                                 std::uint64_t hash, std::int64_t most) {
  const std::int64_t n = got.size();
  std::vector<std::int64_t> result;
  if (n <= kJudged) {
    for (std::int64_t i = 0; i < n; ++i) result.push_back(i);
    return result;
  }
  std::set<std::int64_t> chosen;
  const std::int64_t columns = got.shape().empty() ? 1 : std::max<std::int64_t>(got.shape().back(), 1);
  const std::int64_t rows = n / columns;
  const std::int64_t segment = most / 8;  // of a row
  const auto add_row = [&](std::int64_t row, std::int64_t around) {
    const std::int64_t from =
        std::clamp<std::int64_t>(around - segment / 2, 0, std::max<std::int64_t>(columns - segment, 0));
    for (std::int64_t j = from; j < std::min(columns, from + segment); ++j) chosen.insert(row * columns + j);
  };
  // A few of each unusual class, and the extremes.
  constexpr int kOfAClass = 4;
  int seen[6] = {};
  std::int64_t least = 0, greatest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint8_t bit = classes[static_cast<std::size_t>(i)];
    if (bit != finite) {
      for (int k = 0; k < 6; ++k)
        if (bit == 1u << static_cast<unsigned>(k) && seen[k]++ < kOfAClass) chosen.insert(i);
      continue;
    }
    if (got.value(i) < got.value(least)) least = i;
    if (got.value(i) > got.value(greatest)) greatest = i;
  }
  chosen.insert(least);
  chosen.insert(greatest);
  add_row(0, 0);
  add_row(rows - 1, columns - 1);
  for (const Plant& plant : c.plants) {
    if (static_cast<std::int64_t>(chosen.size()) >= most / 2) break;
    add_row(plant.row.in(rows), plant.column.in(columns));
  }
  CounterRandom random(hash, 0x5a);
  for (int tries = 0; tries < 64 && static_cast<std::int64_t>(chosen.size()) < most; ++tries)
    add_row(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows))),
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns))));
  return {chosen.begin(), chosen.end()};
}

// The gates that own what was seen, first to last; others follow in the order of the battery.
using Owners = std::vector<std::string_view>;
Owners owners_of(Reason reason) {
  switch (reason) {
    case Reason::nan:
    case Reason::infinity:
      return {"EXC-01", "CMP-01", "CMP-03"};
    case Reason::zero_sign:
      return {"EXC-02"};
    case Reason::exact:
      return {"CMP-01", "CMP-03", "PRC-01", "ORD-03", "PRC-02", "EXC-02"};
    case Reason::index:
      return {"CMP-01", "CMP-03", "EXC-01", "EXC-02"};
    default:
      return {"CMP-01", "CMP-03", "PRC-01", "ORD-01", "PRC-02", "EXC-02"};
  }
}

}  // namespace

// The work on one case.
class Battery::Seen {
 public:
  Seen(Battery& battery, const Case& c)
      : battery_(battery),
        menu_(battery.menu_),
        subject_(battery.menu_.subject()),
        case_(c),
        runner_(battery.runner_, battery.runs_, battery.hangs_ >= kPatientHangs),
        hash_(hash_of(c)) {}

  Observation work(const IsNew& is_new) {
    if (!menu_.affordable(case_)) return std::move(seen_);
    seen_.in_domain = true;
    const Realised tensors = realise(case_, subject_);
    const auto first = call(tensors, 0);
    if (!first) return std::move(seen_);
    note_classes(first->outputs);
    const bool fresh = !is_new || is_new(seen_);
    const Reason reason = judge(first->outputs, tensors, fresh ? kJudged : kJudgedAgain);
    std::optional<RunResult> second;
    if (reason != Reason::none || fresh || (hash_ >> 12) % kSecondRunEvery == 0) {
      second = call(tensors, 1);
      if (!second) return std::move(seen_);
    }
    if (second && suspicious(*first, *second, reason)) return std::move(seen_);
    if (hash_ % (elements(tensors.shapes) > kLarge ? kFullGateOfLargeEvery : kFullGateEvery) == 0) ask_one();
    return std::move(seen_);
  }

 private:
  // Nothing where the case is decided already.
  std::optional<RunResult> call(const Realised& tensors, int number) {
    Launch launch = launch_of(case_, tensors);
    launch.deadline *= 2;  // sanitizers are slow
    launch.poison = kPoisons[number];
    if (number == 1) {
      const auto unit = static_cast<std::uint32_t>(subject_.contract.alignment());
      launch.schedule = 1 + static_cast<std::uint32_t>(hash_ >> 8 & 3);
      for (std::uint32_t& offset : launch.offsets) offset = (offset + (hash_ >> 10 & 1 ? 5 : 1) * unit) % 256;
    }
    const auto start = Clock::now();
    RunResult result = runner_.run(launch, Build::checked);
    seen_.kernel_nanoseconds += nanoseconds_since(start);
    const auto taken = runner_.branches();
    if (seen_.branches.size() < taken.size()) seen_.branches.resize(taken.size());
    for (std::size_t i = 0; i < taken.size(); ++i) seen_.branches[i] |= taken[i];

    switch (result.status) {
      case RunResult::Status::infrastructure:
        seen_.broken = true;
        seen_.outcome = Outcome::undecidable;
        seen_.verdict = infrastructure(result.detail);
        return std::nullopt;
      case RunResult::Status::ok:
        break;
      case RunResult::Status::hung:
        ++battery_.hangs_;
        ask({"RES-02"});
        return std::nullopt;
      default:
        // A kernel may refuse a dtype; what is not even a finding by itself is none of any gate's.
        if (const auto verdict = no_outputs(result, case_, subject_); verdict && is_finding(verdict->outcome))
          ask({"RES-01", "RES-02", "CMP-01"});
        return std::nullopt;
    }
    if (!result.overrun.empty() || !result.changed_inputs.empty() ||
        diagnosed(result.diagnostics, kMemoryFaults)) {
      if (ask({"RES-01"})) return std::nullopt;
    } else if (!result.diagnostics.empty()) {
      if (ask({"RES-02"})) return std::nullopt;
    }
    return result;
  }

  void note_classes(const std::vector<Tensor>& outputs) {
    for (const Tensor& t : outputs) {
      const double least = is_float(t.dtype()) ? format_of(t.dtype()).least_normal() : 0;
      std::vector<std::uint8_t>& classes = classes_.emplace_back();
      classes.reserve(static_cast<std::size_t>(t.size()));
      for (std::int64_t i = 0; i < t.size(); ++i) classes.push_back(class_of(t.value(i), least));
    }
  }

  static bool holds(const Tensor& tensor, std::int64_t i, std::uint8_t poison) {
    const std::size_t size = size_of(tensor.dtype());
    const std::byte* element = tensor.data() + static_cast<std::size_t>(i) * size;
    return std::all_of(element, element + size, [&](std::byte b) { return b == std::byte{poison}; });
  }

  // Compares the runs, with what was said of the first; true where that was a finding.
  bool suspicious(const RunResult& first, const RunResult& second, Reason reason) {
    bool unwritten = false, differs = false;
    for (std::size_t o = 0; o < first.outputs.size(); ++o) {
      const Tensor &a = first.outputs[o], &b = second.outputs[o];
      if (a == b) continue;
      differs = true;
      for (std::int64_t i = 0; i < a.size() && !unwritten; ++i)
        unwritten = holds(a, i, kPoisons[0]) && holds(b, i, kPoisons[1]);
    }
    if (unwritten && ask({"RES-01"})) return true;
    if (reason != Reason::none && ask(owners_of(reason))) return true;
    return differs && ask({"ORD-02"});
  }

  Reason judge(const std::vector<Tensor>& outputs, const Realised& tensors, std::int64_t most) {
    const auto start = Clock::now();
    Judge oracle(subject_.contract, case_.instance, tensors.inputs, subject_.allow);
    Reason reason = Reason::none;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      OutputReport& report = seen_.outputs.emplace_back();
      for (const std::int64_t i : sample(case_, outputs[o], classes_[o], hash_, most)) {
        const ElementReport element = oracle.element(o, i, outputs[o].bits(i));
        ++report.judged;
        report.by_mpfr += element.by_mpfr;
        report.useless += element.useless;
        report.exact += element.exact;
        report.undecidable += element.ruling == Ruling::undecidable;
        if (std::isfinite(element.excess))
          report.worst_excess = std::max(report.worst_excess, element.excess);
        if (element.ruling != Ruling::refused || report.refused++ > 0) continue;
        report.first_refused = i;
        report.first = element;
        if (reason == Reason::none) reason = element.reason;
      }
    }
    seen_.oracle_nanoseconds += nanoseconds_since(start);
    return reason;
  }

  // Asks one gate in full, the named ones first, then every other that may judge the case; true at the first
  // finding. The time counts as the kernel's, which it mostly is.
  bool ask(const Owners& owners) {
    for (const std::string_view id : owners)
      for (const Menu::Entry& entry : menu_.gates())
        if (entry.gate->id == id && ask(entry)) return true;
    for (const Menu::Entry& entry : menu_.gates())
      if (std::find(owners.begin(), owners.end(), entry.gate->id) == owners.end() && ask(entry)) return true;
    return false;
  }

  bool ask(const Menu::Entry& entry) {
    if (!may_judge(entry, case_, menu_)) return false;
    const auto start = Clock::now();
    Verdict verdict = entry.gate->judge(case_, subject_, runner_);
    seen_.kernel_nanoseconds += nanoseconds_since(start);
    if (is_infrastructure(verdict)) {
      seen_.broken = true;
      seen_.verdict = std::move(verdict);
      seen_.outcome = Outcome::undecidable;
      return true;
    }
    if (!is_finding(verdict.outcome)) return false;
    seen_.outcome = verdict.outcome;
    seen_.verdict = std::move(verdict);
    seen_.gate = entry.gate;
    return true;
  }

  void ask_one() {
    std::vector<const Menu::Entry*> able;
    for (const Menu::Entry& entry : menu_.gates())
      if (may_judge(entry, case_, menu_)) able.push_back(&entry);
    if (!able.empty()) ask(*able[hash_ / kFullGateEvery % able.size()]);
  }

  Battery& battery_;
  const Menu& menu_;
  const Subject& subject_;
  const Case& case_;
  Counting runner_;
  const std::uint64_t hash_;
  Observation seen_;
  std::vector<std::vector<std::uint8_t>> classes_;  // of the first run's outputs, by element
};

Battery::Battery(const Menu& menu, Runner& runner) : menu_(menu), runner_(runner) {}

Observation Battery::observe(const Case& c, const IsNew& is_new) {
  return Seen(*this, c).work(is_new);
}

}  // namespace assay::fuzz
