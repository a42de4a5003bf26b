#pragma once

// Runs a contract's definitions in any algebra (oracle/algebra.h), one output element at a time.
//
// What an element needs is evaluated when it is first asked for, and kept: to judge a sample of a huge case
// costs what the sample needs, to judge all of it costs no more than evaluating it whole. Subexpressions that
// do not depend on every index in scope (a row's maximum, a row's sum, sqrt(2/pi)) are one node of their own,
// evaluated once; equal ones are the same node.
//
// The definitions are flat code over registers, made once a contract and form (oracle/plan.h) and bound to an
// instance's sizes here. After the first elements no operation allocates, but for what the algebra does.
//
// Laws: output(k, i) is the same Value whatever was asked before; an operation of the algebra is called only
// for what the element depends on; a recursion over an index needs no deeper call stack than one step of it.
//
// Requirements beyond oracle/algebra.h: Value is copyable, and cheap to copy (a handle into the algebra's own
// storage where it is large); references that the evaluator passes stay valid during the call only. An
// algebra may have two more operations. One is called after a select over conditions on values, with the
// values compared; one instead of sum where terms are sums themselves, those whose bit is set, and one
// accumulator may run through all of them:
//   Value depend(const Value& result, std::span<const Value> compared);
//   Value join(std::span<const Value> terms, Sum how, std::uint32_t sums);  // all ones: every term
//
// A scan, whose neighbouring elements add up nearly the same terms, goes on where the last element ended if
// the algebra has sums and products that grow:
//   struct Running;
//   Running start(bool product);
//   bool extend(Running& running, const Value& term);  // false: this term's sums cannot be shared
//   Value value(const Running& running);               // as sum or product of the terms so far

#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/signature.h"
#include "core/tensor.h"
#include "oracle/algebra.h"
#include "oracle/binding.h"
#include "oracle/memo.h"
#include "oracle/program.h"

namespace assay {

template <class Algebra>
class Evaluator {
 public:
  using Value = typename Algebra::Value;

  // All arguments outlive the evaluator. `form` is empty for the contract's own definitions, or the name of
  // one of Program::forms. The instance is admitted, `shapes` is shapes_of it and `inputs` have these shapes.
  Evaluator(const lang::Program& program, const Instance& instance, const Shapes& shapes,
            std::span<const Tensor> inputs, Algebra& algebra, std::string_view form = {})
      : program_(program),
        plan_(plan_of(program, form)),
        instance_(instance),
        inputs_(inputs),
        algebra_(algebra),
        binding_(program, plan_, instance, shapes, inputs) {
    memos_.reserve(plan_.tables.size());
    scans_.resize(plan_.tables.size());
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) memos_.emplace_back(binding_.size(t));
    literals_.reserve(plan_.literals.size());
    for (const lang::Literal& literal : plan_.literals) literals_.push_back(evaluate(literal));
  }

  // Element `element` (row-major) of output `k`. The reference stays valid as long as the evaluator.
  const Value& output(std::size_t k, std::int64_t element) {
    return this->element(static_cast<std::int32_t>(inputs_.size() + k), element);
  }

  // The first index out of range that an evaluation met, for people; such a read is NaN.
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  using Op = lang::Op;
  static constexpr bool kScans = requires { typename Algebra::Running; };

  struct Frame {
    std::vector<std::int64_t> variables;
    std::vector<Value> registers;
    std::vector<const Value*> references;
    std::vector<Truth> truths;
  };

  // Where the last element of a scan ended: its other indices, the terms that it has.
  template <class A>
  struct ScanOf {};
  template <class A>
    requires requires { typename A::Running; }
  struct ScanOf<A> {
    std::vector<std::int64_t> others;
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::optional<typename A::Running> running;
  };
  using Scan = ScanOf<Algebra>;

  static const lang::Plan& plan_of(const lang::Program& program, std::string_view form) {
    for (const auto& plan : program.plans) {
      if (plan->form == form) return *plan;
    }
    assert(false && "no such form");
    return *program.plans.front();
  }

  Value evaluate(const lang::Literal& literal) {
    Value value = algebra_.constant(binding_.constant(literal));
    for (const std::uint8_t dtype : literal.round) value = algebra_.round(value, dtype_of(dtype));
    return value;
  }

  DType dtype_of(std::uint8_t detail) const {
    return detail == lang::kInstanceDType ? instance_.dtype : static_cast<DType>(detail);
  }

  // -- elements

  const Value& element(std::int32_t table, std::int64_t offset) {
    const auto t = static_cast<std::size_t>(table);
    if (const Value* known = memos_[t].find(offset)) return *known;
    const lang::Table& description = plan_.tables[t];
    if (description.kind == lang::Table::Kind::input) {
      const Tensor& tensor = inputs_[t];
      return memos_[t].store(offset, algebra_.input(t, offset, tensor.dtype(), tensor.bits(offset)));
    }
    if (description.recursive) return recurse(table, offset);
    if constexpr (kScans) {
      if (description.scan >= 0) return scan(t, offset);
    }
    return compute(table, offset);
  }

  const Value& compute(std::int32_t table, std::int64_t offset) {
    const auto t = static_cast<std::size_t>(table);
    Frame& frame = enter(t, offset);
    const lang::Code* code = case_of(t, frame);
    if (code == nullptr) {
      leave();
      return memos_[t].store(offset, Value(missing(plan_.tables[t], offset)));
    }
    run(*code, 0, static_cast<std::int32_t>(code->instructions.size()), frame);
    Value result = code->result >= 0 ? std::move(frame.registers[static_cast<std::size_t>(code->result)])
                                     : *frame.references[static_cast<std::size_t>(~code->result)];
    leave();
    return memos_[t].store(offset, std::move(result));
  }

  Frame& enter(std::size_t t, std::int64_t offset) {
    if (depth_ == frames_.size()) {
      Frame& fresh = frames_.emplace_back();
      fresh.variables.resize(program_.variables.size());
      fresh.registers.resize(static_cast<std::size_t>(plan_.registers));
      fresh.references.resize(static_cast<std::size_t>(plan_.references));
      fresh.truths.resize(static_cast<std::size_t>(plan_.truths));
    }
    Frame& frame = frames_[depth_++];
    const auto places = binding_.places(t);
    indices_.resize(places.size());
    if (binding_.size(t) <= UINT32_MAX) {
      decode<std::uint32_t>(places, offset);
    } else {
      decode<std::uint64_t>(places, offset);
    }
    return frame;
  }

  void leave() { --depth_; }

  // Row-major offset to indices; narrow division is several times as fast.
  template <class Unsigned>
  void decode(std::span<const lang::Binding::Place> places, std::int64_t offset) {
    auto rest = static_cast<Unsigned>(offset);
    for (std::size_t i = places.size(); i-- > 0;) {
      const auto extent = static_cast<Unsigned>(places[i].extent);
      indices_[i] = places[i].lower + static_cast<std::int64_t>(i == 0 ? rest : rest % extent);
      rest /= extent;
    }
  }

  // The case that the indices fall in, with its variables set; none between base cases.
  const lang::Code* case_of(std::size_t t, Frame& frame) const {
    const lang::Table& table = plan_.tables[t];
    if (table.kind == lang::Table::Kind::shared) {
      for (std::size_t i = 0; i < indices_.size(); ++i) {
        frame.variables[static_cast<std::size_t>(table.variables[i])] = indices_[i];
      }
      return &table.cases.front().code;
    }
    for (const lang::Table::Case& c : table.cases) {
      bool matches = true;
      for (std::size_t i = 0; i < indices_.size() && matches; ++i) {
        if (c.patterns[i].variable < 0)
          matches = c.patterns[i].constant == indices_[i];
        else
          frame.variables[static_cast<std::size_t>(c.patterns[i].variable)] = indices_[i];
      }
      if (matches) return &c.code;
    }
    return nullptr;
  }

  // An element of a table that depends on itself: what it needs of its own kind is found without evaluating
  // anything, on a stack of our own, and evaluated first.
  struct Pending {
    std::int32_t table;
    std::int64_t offset;
    bool expanded;
  };

  const Value& recurse(std::int32_t table, std::int64_t offset) {
    const std::int32_t component = plan_.tables[static_cast<std::size_t>(table)].component;
    std::vector<Pending> stack = {{table, offset, false}};
    while (!stack.empty()) {
      const Pending top = stack.back();
      if (memos_[static_cast<std::size_t>(top.table)].find(top.offset) != nullptr) {
        stack.pop_back();
      } else if (top.expanded) {
        stack.pop_back();
        compute(top.table, top.offset);
      } else {
        stack.back().expanded = true;
        const auto t = static_cast<std::size_t>(top.table);
        Frame& frame = enter(t, top.offset);
        if (const lang::Code* code = case_of(t, frame)) {
          scan(*code, 0, static_cast<std::int32_t>(code->instructions.size()), frame, component, stack);
        }
        leave();
      }
    }
    return *memos_[static_cast<std::size_t>(table)].find(offset);
  }

  // Pushes the elements of `component` that the code reads; where a condition on values decides, of both
  // branches.
  void scan(const lang::Code& code, std::int32_t from, std::int32_t to, Frame& frame, std::int32_t component,
            std::vector<Pending>& stack) {
    for (std::int32_t pc = from; pc < to; ++pc) {
      const lang::Instruction& i = code.instructions[static_cast<std::size_t>(pc)];
      switch (i.op) {
        case Op::element: {
          const std::int64_t offset = binding_.offset(i.operand, frame.variables.data());
          const std::int32_t table = plan_.accesses[static_cast<std::size_t>(i.operand)].table;
          if (offset >= 0 && plan_.tables[static_cast<std::size_t>(table)].component == component &&
              memos_[static_cast<std::size_t>(table)].find(offset) == nullptr) {
            stack.push_back({table, offset, false});
          }
          if (offset >= 0 && i.jump >= 0) pc = i.jump - 1;
          break;
        }
        case Op::fixed:
          frame.truths[static_cast<std::size_t>(i.target)] = Truth::of(condition(i.expr, frame));
          break;
        case Op::compare:
        case Op::classify:
          frame.truths[static_cast<std::size_t>(i.target)] = {true, true, true};
          break;
        case Op::both:
          truth(i.target, frame) = truth(i.operand, frame) && truth(i.other, frame);
          break;
        case Op::either:
          truth(i.target, frame) = truth(i.operand, frame) || truth(i.other, frame);
          break;
        case Op::inverse:
          truth(i.target, frame) = !truth(i.operand, frame);
          break;
        case Op::skip_unless_possible:
          if (truth(i.operand, frame).surely_false()) pc = i.jump - 1;
          break;
        case Op::skip_if_certain:
          if (truth(i.operand, frame).surely_true()) pc = i.jump - 1;
          break;
        case Op::set:
          set(i, frame);
          break;
        case Op::reduce:
        case Op::quantify: {
          for_each_term(program_[plan_.reductions[static_cast<std::size_t>(i.operand)]], 0, frame,
                        [&] { scan(code, pc + 1, i.jump, frame, component, stack); });
          if (i.op == Op::quantify) truth(i.target, frame) = {true, true, true};
          pc = i.jump - 1;
          break;
        }
        default:
          break;
      }
    }
  }

  // -- code

  const Value& get(lang::Operand operand, const Frame& frame) const {
    return operand >= 0 ? frame.registers[static_cast<std::size_t>(operand)]
                        : *frame.references[static_cast<std::size_t>(~operand)];
  }
  static Truth& truth(std::int32_t number, Frame& frame) {
    return frame.truths[static_cast<std::size_t>(number)];
  }
  static std::span<const Value> block(const lang::Instruction& i, const Frame& frame) {
    return {frame.registers.data() + i.operand, static_cast<std::size_t>(i.count)};
  }
  bool condition(lang::ExprId id, Frame& frame) const {
    return binding_.statics().condition(id, frame.variables.data());
  }
  std::int64_t integer(lang::ExprId id, Frame& frame) const {
    return binding_.statics().integer(id, frame.variables.data());
  }
  static void set(const lang::Instruction& i, Frame& frame) {
    frame.variables[static_cast<std::size_t>(i.target)] =
        i.operand >= 0 ? frame.variables[static_cast<std::size_t>(i.operand)] : i.jump;
  }

  // in oracle/evaluator_code.h
  const Value& scan(std::size_t t, std::int64_t offset);
  void run(const lang::Code& code, std::int32_t from, std::int32_t to, Frame& frame);
  Value add_up(std::span<const Value> terms, Sum how, std::uint32_t sums);
  Value ratio(std::int64_t a, std::int64_t b);
  void select(const lang::Instruction& i, Frame& frame);
  template <class Visit>
  void for_each_term(const lang::Expr& e, std::size_t binder, Frame& frame, Visit&& visit);
  void reduce(const lang::Code& code, std::int32_t pc, const lang::Instruction& i, Frame& frame);
  Value combine(lang::Reduction reduction, std::span<const Value> terms);
  void quantify(const lang::Code& code, std::int32_t pc, const lang::Instruction& i, Frame& frame);

  // -- faults of the contract

  const Value& out_of_range(const lang::Access& access, Frame& frame) {
    if (!fault_) {
      std::string indices;
      for (const lang::Index& index : access.indices) {
        if (!indices.empty()) indices += ", ";
        const std::int64_t value = index.expr == lang::kNone
                                       ? frame.variables[static_cast<std::size_t>(index.variable)]
                                       : integer(index.expr, frame);
        indices += std::to_string(value);
      }
      fault_ = program_.file + ":" + std::to_string(access.at.line) + ":" + std::to_string(access.at.column) +
               ": index [" + indices +
               "] is out of range; guard the read with 'if', or write [... else VALUE]";
    }
    return nan();
  }

  const Value& missing(const lang::Table& table, std::int64_t) {
    if (!fault_) {
      fault_ = program_.file + ": '" + program_.definitions[static_cast<std::size_t>(table.index)].name +
               "' has no equation for an index that is read";
    }
    return nan();
  }

  const Value& nan() {
    if (!nan_) {
      Constant c;
      c.kind = Constant::Kind::nan;
      nan_ = algebra_.constant(c);
    }
    return *nan_;
  }

  const lang::Program& program_;
  const lang::Plan& plan_;
  const Instance& instance_;
  std::span<const Tensor> inputs_;
  Algebra& algebra_;
  lang::Binding binding_;
  std::vector<lang::Memo<Value>> memos_;
  std::vector<Scan> scans_;  // by table, where it is one
  std::vector<Value> literals_;
  std::deque<Frame> frames_;  // by depth of the call stack
  std::size_t depth_ = 0;
  std::vector<std::int64_t> indices_;  // of the element that is entered
  std::deque<std::vector<Value>> buffers_;
  std::size_t buffers_in_use_ = 0;
  std::optional<Value> nan_;
  std::optional<std::string> fault_;
};

}  // namespace assay

#include "oracle/evaluator_code.h"
