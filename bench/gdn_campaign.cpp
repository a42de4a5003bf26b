// Random problems of the gated-linear-recurrence family for a built kernel, judged by the native oracle:
// every output by the Monte-Carlo tier, exact problems bit for bit, the metamorphic laws. Prints one row of a
// table.
//
//   assay_gdn_campaign kernels/gdn/gdn_backward.cu --member gdn --dtype f32 --cases 1000 --seed 1
//
// Without a kernel (`--simulate scalar` or `tensor`) the chunk form in f32 stands for one, with `--fault` a
// faulty one.

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "core/text.h"
#include "kernels/kernel.h"
#include "oracle/contract.h"
#include "oracle/gdn/budget.h"
#include "oracle/gdn/draw.h"
#include "oracle/gdn/laws.h"
#include "oracle/gdn/monte_carlo.h"
#include "oracle/gdn/recurrence.h"

namespace po = boost::program_options;

namespace assay::gdn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  std::string kernel, member = "gdn", dtype = "f32", simulate, fault, leaf = "scalar";
  std::string direction = "backward", executor = "cpu", bind;
  std::int64_t cases = 200, work = 400000;
  std::uint64_t seed = 1;
  double time = 0;
  bool sandbox = true;
};

// Inputs, outputs, dims, attributes in the signature's order.
std::string usual_call(const Signature& s) {
  std::vector<std::string> arguments;
  for (const TensorSignature& t : s.inputs) arguments.push_back(t.name);
  for (const TensorSignature& t : s.outputs) arguments.push_back(t.name);
  arguments.insert(arguments.end(), s.dims.begin(), s.dims.end());
  for (const Attribute& a : s.attributes) arguments.push_back(a.name);
  return fmt::format("{}({})", s.name, join(arguments, ", "));
}

class Subject {
 public:
  virtual ~Subject() = default;
  virtual Expected<Answer> run(const Problem& problem) = 0;
};

class Simulation : public Subject {
 public:
  Simulation(Leaf leaf, Fault fault) : leaf_(leaf), fault_(fault) {}
  Expected<Answer> run(const Problem& p) override { return answer_of(p, simulated(p, leaf_, fault_)); }

 private:
  Leaf leaf_;
  Fault fault_;
};

class Built : public Subject {
 public:
  Built(Contract contract, std::unique_ptr<Worker> worker)
      : contract_(std::move(contract)), worker_(std::move(worker)) {}

  Expected<Answer> run(const Problem& p) override {
    const Size& s = p.size;
    Launch launch;
    launch.instance = {p.dtype, {s.n, s.t, s.h, s.r, s.kd, s.vd}, {p.scale, p.l2norm ? 1.0 : 0.0}};
    const Expected<Shapes> shapes = shapes_of(contract_, launch.instance);
    if (!shapes) return tl::unexpected(shapes.error());
    const Signature& signature = contract_.signature();
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
      const Tensor& mine = *p.find(signature.inputs[i].name);
      Tensor& its = tensors.emplace_back(shapes->inputs[i].dtype, mine.shape());
      for (std::int64_t e = 0; e < mine.size(); ++e)
        its.set_bits(e, is_float(mine.dtype()) ? mine.bits(e) : encode_integer(its.dtype(), mine.integer(e)));
    }
    launch.inputs = tensors;
    launch.outputs = shapes->outputs;
    launch.deadline = std::chrono::seconds(60);
    RunResult result = worker_->run(launch);
    if (result.status == RunResult::Status::ok) return std::move(result.outputs);
    std::string why = result.detail;
    if (result.status == RunResult::Status::refused) why = fmt::format("returned {}", result.refusal);
    for (const Diagnostic& d : result.diagnostics) why += "; " + d.kind + ": " + d.text;
    return infrastructure_error("the kernel gave no answer: {}", why);
  }

 private:
  Contract contract_;
  std::unique_ptr<Worker> worker_;
};

Expected<std::unique_ptr<Subject>> subject_of(const Options& o, const Member& member, DType dtype) {
  if (o.kernel.empty()) {
    Fault fault = Fault::none;
    std::vector<std::string> known;
    for (int i = 0; i < kFaults; ++i) {
      known.emplace_back(name(static_cast<Fault>(i)));
      if (known.back() == o.fault) fault = static_cast<Fault>(i);
    }
    if (!o.fault.empty() && fault == Fault::none)
      return usage_error("--fault: there is no '{}'{}", o.fault, suggestion(o.fault, known));
    return std::make_unique<Simulation>(o.simulate == "tensor" ? Leaf::tensor : Leaf::scalar, fault);
  }
  const Expected<KernelSource> source = read_source(o.kernel);
  if (!source) return tl::unexpected(source.error());
  Expected<Contract> contract = load_contract(fmt::format("{}_{}", member.name, o.direction));
  if (!contract) return tl::unexpected(contract.error());
  const Signature& signature = contract->signature();
  Expected<std::vector<Binding>> bindings =
      assay::bind(*source, signature, o.bind.empty() ? usual_call(signature) : o.bind, dtype);
  if (!bindings) return tl::unexpected(bindings.error());
  BuildOptions build_options;
  build_options.sandbox = o.sandbox;
  build_options.executor = o.executor == "cuda" ? Executor::cuda : Executor::cpu;
  const Expected<Kernel> kernel = build(*source, signature, std::move(*bindings), build_options);
  if (!kernel) return tl::unexpected(kernel.error());
  Expected<std::unique_ptr<Worker>> worker = start(*kernel, Build::fast);
  if (!worker) return tl::unexpected(worker.error());
  return std::make_unique<Built>(std::move(*contract), std::move(*worker));
}

struct Worst {
  double sigma = 0, chunk = 0, relative = 0;
};

struct Tally {
  std::int64_t cases = 0, refused = 0, suspects = 0, inexact = 0, broken = 0, failed = 0;
  double budget = 0;  // worst error over the hard budget
  std::map<std::string, Worst> worst;
  double oracle = 0, kernel = 0;
};

std::string describe(const Problem& p) {
  std::string cu;
  for (std::int64_t i = 0; i < p.cu.size(); ++i) cu += fmt::format("{}{}", i ? "," : "", p.cu.integer(i));
  return fmt::format("t={} h={} r={} kd={} vd={} cu={}", p.size.t, p.size.h, p.size.r, p.size.kd, p.size.vd,
                     cu);
}

class Campaign {
 public:
  Campaign(const Options& o, const Member& member, DType dtype, Subject& subject)
      : o_(o), member_(member), dtype_(dtype), subject_(subject) {}

  Tally run() {
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < o_.cases || o_.time > 0; ++i) {
      if (o_.time > 0 && seconds_since(start) > o_.time) break;
      // One case in four is exact, one in eight holds a NaN or an infinity; one in eight also answers to the
      // hard budget and for the laws.
      if (i % 4 == 3)
        exact(static_cast<std::uint64_t>(i));
      else if (i % 8 == 6)
        poisoned(static_cast<std::uint64_t>(i));
      else
        ordinary(static_cast<std::uint64_t>(i), i % 8 == 0);
      ++tally_.cases;
    }
    return tally_;
  }

 private:
  Expected<Answer> ask(const Problem& p) {
    const auto start = Clock::now();
    Expected<Answer> answer = subject_.run(p);
    tally_.kernel += seconds_since(start);
    return answer;
  }

  template <class... Args>
  void say(const Problem& p, fmt::format_string<Args...> text, Args&&... args) {
    fmt::print(stderr, "{} {} {}: {}\n", member_.name, name(dtype_), describe(p),
               fmt::format(text, std::forward<Args>(args)...));
  }

  void exact(std::uint64_t number) {
    const bool backward = o_.direction == "backward";
    auto start = Clock::now();
    const Problem p = exact_problem(member_, dtype_, backward, o_.seed, number);
    const Answer want = answer_of(p, truth(p));
    tally_.oracle += seconds_since(start);
    const Expected<Answer> got = ask(p);
    if (!got) return failed(p, got.error().message);
    const std::vector<Named> names = outputs(member_, p.size, dtype_, backward);
    for (std::size_t k = 0; k < want.size(); ++k)
      for (std::int64_t e = 0; e < want[k].size(); ++e)
        if (want[k].value(e) != (*got)[k].value(e)) {
          ++tally_.inexact;
          return say(p, "exact problem {}: {}[{}] is {}, not {}", number, names[k].name, e,
                     (*got)[k].value(e), want[k].value(e));
        }
  }

  // What is not finite is where the recurrence has it, and at most where the chunk form spreads it.
  void poisoned(std::uint64_t number) {
    const bool backward = o_.direction == "backward";
    const auto start = Clock::now();
    const Problem p = poisoned_problem(member_, dtype_, backward, o_.work, o_.seed, number);
    const Results must = truth(p), may = chunked(p);
    tally_.oracle += seconds_since(start);
    const Expected<Answer> got = ask(p);
    if (!got) return failed(p, got.error().message);
    const std::vector<Named> names = outputs(member_, p.size, dtype_, backward);
    for (std::size_t k = 0; k < names.size(); ++k)
      for (std::int64_t e = 0; e < (*got)[k].size(); ++e) {
        const auto i = static_cast<std::size_t>(e);
        const double x = (*got)[k].value(e), m = (*must.find(names[k].name))[i],
                     y = (*may.find(names[k].name))[i];
        const bool lost = !std::isfinite(m) && std::isfinite(x);
        const bool spilt = !std::isfinite(x) && std::isfinite(m) && std::isfinite(y);
        if (!lost && !spilt) continue;
        ++tally_.refused;
        return say(p, "case {}: {}[{}] is {}, the recurrence has {}, the chunk form {}", number,
                   names[k].name, e, x, m, y);
      }
  }

  void ordinary(std::uint64_t number, bool thorough) {
    auto start = Clock::now();
    const Drawn drawn = draw_problem(member_, dtype_, o_.direction == "backward", o_.work, o_.seed, number);
    const Problem& p = drawn.problem;
    const Leaf leaf = o_.leaf == "tensor" || o_.simulate == "tensor" ? Leaf::tensor : Leaf::scalar;
    Budget b;
    if (thorough) {
      b = budget(p, leaf, o_.seed + number);
    } else {
      b.truth = truth(p);
      b.spread = spread(p, leaf, b.truth, o_.seed + number);
    }
    tally_.oracle += seconds_since(start);
    const Expected<Answer> got = ask(p);
    if (!got) return failed(p, got.error().message);
    start = Clock::now();
    bool bad = false;
    for (const OutputScore& s : score(p, results_of(p, *got), b.truth, b.spread)) {
      Worst& worst = tally_.worst[s.output];
      worst.sigma = std::max(worst.sigma, s.worst);
      worst.chunk = std::max(worst.chunk, s.chunk);
      worst.relative = std::max(worst.relative, s.finite ? s.relative : HUGE_VAL);
      if (!s.suspect()) continue;
      bad = true;
      say(p, "{}, case {}: {}[{}] {:.1f} sigma, chunk {:.2f}, relative {:.1e}{}", gdn::describe(drawn.recipe),
          number, s.output, s.index, s.worst, s.chunk, s.relative, s.finite ? "" : ", not finite");
    }
    tally_.suspects += bad;
    tally_.oracle += seconds_since(start);
    if (!thorough) return;
    judge(p, drawn.recipe, *got, b, number);
    const KernelRun again = [this](const Problem& q) { return ask(q); };
    for (const Law& law : laws()) {
      if (law.backward_only && !p.has_gradient()) continue;
      const auto broken = law.check(p, *got, again);
      if (!broken) return failed(p, broken.error().message);
      if (!*broken) continue;
      ++tally_.broken;
      say(p, "{}, case {}: law {}: {}[{}] is {}, not {}", gdn::describe(drawn.recipe), number, law.name,
          (*broken)->output, (*broken)->index, (*broken)->got, (*broken)->expected);
    }
  }

  // Every element within its own budget.
  void judge(const Problem& p, const Recipe& recipe, const Answer& got, const Budget& b,
             std::uint64_t number) {
    const std::vector<Named> names = outputs(*p.member, p.size, p.dtype, p.has_gradient());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::vector<double>&t = *b.truth.find(names[k].name), &hard = *b.hard.find(names[k].name);
      for (std::int64_t e = 0; e < got[k].size(); ++e) {
        const auto i = static_cast<std::size_t>(e);
        const double error = std::fabs(got[k].value(e) - t[i]);
        if (error == 0 || std::isinf(hard[i]) || !std::isfinite(t[i])) continue;
        tally_.budget = std::max(tally_.budget, error / hard[i]);
        if (error <= hard[i]) continue;
        ++tally_.refused;
        return say(p, "{}, case {}: {}[{}] is {}, not {} +- {}", gdn::describe(recipe), number, names[k].name,
                   e, got[k].value(e), t[i], hard[i]);
      }
    }
  }

  void failed(const Problem& p, const std::string& why) {
    ++tally_.failed;
    say(p, "{}", why);
  }

  const Options& o_;
  const Member& member_;
  DType dtype_;
  Subject& subject_;
  Tally tally_;
};

void print(const Options& o, const Tally& t, double seconds) {
  fmt::print("| {} {} | {} | {} | {} | {} | {} | {} | {:.3f} |", o.member, o.dtype, t.cases, t.refused,
             t.suspects, t.inexact, t.broken, t.failed, t.budget);
  double sigma = 0, chunk = 0;
  std::string relatives;
  for (const auto& [output, worst] : t.worst) {
    sigma = std::max(sigma, worst.sigma);
    chunk = std::max(chunk, worst.chunk);
    relatives += fmt::format("{}{} {:.1e}", relatives.empty() ? "" : ", ", output, worst.relative);
  }
  fmt::print(" {:.1f} | {:.2f} | {} | {:.0f} % | {:.1f} |\n", sigma, chunk, relatives,
             100 * t.oracle / seconds, static_cast<double>(t.cases) / seconds);
}

int main_of(int count, char** values) {
  Options o;
  po::options_description flags("assay_gdn_campaign [KERNEL.cu]");
  flags.add_options()("help,h", "this text")("kernel", po::value(&o.kernel), "a .cu file")(
      "member", po::value(&o.member), "gdn, deltanet, gdn2, kda, gla, ssd, linear_attention")(
      "dtype", po::value(&o.dtype), "f32, bf16 or f16")(
      "direction", po::value(&o.direction), "forward or backward")("cases", po::value(&o.cases), "how many")(
      "time", po::value(&o.time), "seconds, instead of --cases")(
      "seed", po::value(&o.seed), "of all contents")("work", po::value(&o.work),
                                                     "most tokens * value heads * kd * vd of a case")(
      "leaf", po::value(&o.leaf), "rounding manifest of the kernel: scalar or tensor")(
      "simulate", po::value(&o.simulate), "without a kernel: scalar or tensor")(
      "fault", po::value(&o.fault), "of the simulated kernel")("executor", po::value(&o.executor),
                                                               "cpu or cuda")(
      "bind", po::value(&o.bind), "what the entry's parameters are; the signature's order if not given")(
      "no-sandbox", "run the kernel without bubblewrap")("header", "print the table's head first");
  po::positional_options_description positions;
  positions.add("kernel", 1);
  po::variables_map map;
  try {
    po::store(po::command_line_parser(count, values).options(flags).positional(positions).run(), map);
    po::notify(map);
  } catch (const po::error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  if (map.count("help")) {
    std::cout << flags;
    return 0;
  }
  o.sandbox = map.count("no-sandbox") == 0;
  const Member* member = find_member(o.member);
  const std::optional<DType> dtype = parse_dtype(o.dtype);
  if (member == nullptr) {
    std::vector<std::string> known;
    for (const Member& m : members()) known.emplace_back(m.name);
    fmt::print(stderr, "--member: there is no '{}'{}\n", o.member, suggestion(o.member, known));
    return 2;
  }
  if (!dtype || (*dtype != DType::f32 && *dtype != DType::bf16 && *dtype != DType::f16)) {
    fmt::print(stderr, "--dtype: '{}' is none of f32, bf16, f16\n", o.dtype);
    return 2;
  }
  Expected<std::unique_ptr<Subject>> subject = subject_of(o, *member, *dtype);
  if (!subject) {
    fmt::print(stderr, "{}\n", subject.error().message);
    return subject.error().kind == ErrorKind::usage ? 2 : 3;
  }
  const auto start = Clock::now();
  const Tally tally = Campaign(o, *member, *dtype, **subject).run();
  if (map.count("header")) {
    fmt::print(
        "| member | cases | refused | suspect | inexact | laws broken | failed | error/budget | sigma | "
        "chunk sigma | relative error | oracle | cases/s "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }
  print(o, tally, seconds_since(start));
  return tally.refused + tally.suspects + tally.inexact + tally.broken + tally.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace assay::gdn

int main(int count, char** values) {
  return assay::gdn::main_of(count, values);
}
