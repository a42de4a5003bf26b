#pragma once

// The evaluator's instructions: part of oracle/evaluator.h, which includes this.

#include "oracle/evaluator.h"

namespace assay {

template <class Algebra>
void Evaluator<Algebra>::run(const lang::Code& code, std::int32_t from, std::int32_t to, Frame& frame) {
  for (std::int32_t pc = from; pc < to; ++pc) {
    const lang::Instruction& i = code.instructions[static_cast<std::size_t>(pc)];
    const auto target = static_cast<std::size_t>(i.target);
    switch (i.op) {
      case Op::constant:
        frame.references[target] = &literals_[static_cast<std::size_t>(i.operand)];
        break;
      case Op::integer:
        frame.registers[target] = algebra_.integer(integer(i.expr, frame));
        break;
      case Op::ratio:
        frame.registers[target] = ratio(integer(i.expr, frame), integer(i.second, frame));
        break;
      case Op::element: {
        const std::int64_t offset = binding_.offset(i.operand, frame.variables.data());
        const lang::Access& access = plan_.accesses[static_cast<std::size_t>(i.operand)];
        if (offset >= 0) {
          frame.references[target] = &element(access.table, offset);
          if (i.jump >= 0) pc = i.jump - 1;
        } else if (i.jump < 0) {
          frame.references[target] = &out_of_range(access, frame);
        }
        break;
      }
      case Op::alias:
        frame.references[target] = &get(i.operand, frame);
        break;
      case Op::copy:
        frame.registers[target] = get(i.operand, frame);
        break;
      case Op::negate:
        frame.registers[target] = algebra_.negate(get(i.operand, frame));
        break;
      case Op::divide:
        frame.registers[target] = algebra_.divide(get(i.operand, frame), get(i.other, frame));
        break;
      case Op::power:
        frame.registers[target] = algebra_.power(get(i.operand, frame), i.jump);
        break;
      case Op::call:
        frame.registers[target] = algebra_.call(static_cast<Function>(i.detail), get(i.operand, frame));
        break;
      case Op::sum:
        frame.registers[target] =
            add_up(block(i, frame), static_cast<Sum>(i.detail), static_cast<std::uint32_t>(i.jump));
        break;
      case Op::product:
        frame.registers[target] = algebra_.product(block(i, frame));
        break;
      case Op::extreme:
        frame.registers[target] = algebra_.extreme(static_cast<Extreme>(i.detail), block(i, frame));
        break;
      case Op::round:
        frame.registers[target] = algebra_.round(get(i.operand, frame), dtype_of(i.detail));
        break;
      case Op::allow:
        frame.registers[target] = algebra_.allow(
            get(i.operand, frame), program_.allowances[static_cast<std::size_t>(i.jump)].classes,
            i.other >= 0 ? truth(i.other, frame) : Truth::of(true));
        break;
      case Op::select:
        select(i, frame);
        break;
      case Op::reduce:
        reduce(code, pc, i, frame);
        pc = i.jump - 1;
        break;
      case Op::fixed:
        truth(i.target, frame) = Truth::of(condition(i.expr, frame));
        break;
      case Op::compare:
        truth(i.target, frame) =
            algebra_.compare(static_cast<Comparison>(i.detail), get(i.operand, frame), get(i.other, frame));
        break;
      case Op::classify:
        truth(i.target, frame) = algebra_.classify(static_cast<Classify>(i.detail), get(i.operand, frame));
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
      case Op::quantify:
        quantify(code, pc, i, frame);
        pc = i.jump - 1;
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
    }
  }
}

// The scan runs on from the last element, or anew; one that grows towards smaller indices runs from the last
// index down and keeps what it passes.
template <class Algebra>
auto Evaluator<Algebra>::scan(std::size_t t, std::int64_t offset) -> const Value& {
  if constexpr (!kScans) {
    return compute(static_cast<std::int32_t>(t), offset);
  } else {
    const lang::Table& table = plan_.tables[t];
    const lang::Code& code = table.cases.front().code;
    const lang::Instruction& reduce = code.instructions.front();
    const lang::Binder& binder =
        program_[plan_.reductions[static_cast<std::size_t>(reduce.operand)]].binders.front();
    Frame& frame = enter(t, offset);
    case_of(t, frame);
    const auto place = static_cast<std::size_t>(table.scan);
    const std::int64_t own = indices_[place];
    std::vector<std::int64_t> others = indices_;
    others[place] = 0;
    std::int64_t& index = frame.variables[static_cast<std::size_t>(table.variables[place])];
    const auto range = [&](std::int64_t at) {
      index = at;
      auto r = binding_.statics().range(binder, frame.variables.data());
      r.upper = std::max(r.lower, r.upper);
      return r;
    };

    Scan& s = scans_[t];
    const auto continues = [&](const lang::Statics::Range& r) {
      return s.running && s.others == others &&
             ((r.lower == s.lower && r.upper >= s.upper) || (r.upper == s.upper && r.lower <= s.lower));
    };
    // Adds the terms that the range has beyond those so far.
    const auto grow = [&](const lang::Statics::Range& r) {
      if (!continues(r)) {
        s.running = algebra_.start(static_cast<lang::Reduction>(reduce.detail) == lang::Reduction::prod);
        s.others = others;
        s.lower = s.upper = r.lower;
      }
      const auto add = [&](std::int64_t term) {
        frame.variables[static_cast<std::size_t>(binder.variable)] = term;
        run(code, 1, reduce.jump, frame);
        return algebra_.extend(*s.running, get(reduce.other, frame));
      };
      bool shared = true;
      for (; shared && s.lower > r.lower; --s.lower) shared = add(s.lower - 1);
      for (; shared && s.upper < r.upper; ++s.upper) shared = add(s.upper);
      if (!shared) s.running.reset();
      return shared;
    };

    const auto target = range(own);
    const lang::Binding::Place& extent = binding_.places(t)[place];
    bool shared = true;
    if (table.falls && !continues(target)) {
      for (std::int64_t at = extent.lower + extent.extent - 1; shared && at > own; --at) {
        const std::int64_t there = offset + (at - own) * extent.stride;
        shared = grow(range(at));
        if (shared && memos_[t].find(there) == nullptr) memos_[t].store(there, algebra_.value(*s.running));
      }
    }
    shared = shared && grow(range(own));
    leave();
    if (!shared) return compute(static_cast<std::int32_t>(t), offset);
    return memos_[t].store(offset, algebra_.value(*s.running));
  }
}

template <class Algebra>
auto Evaluator<Algebra>::add_up(std::span<const Value> terms, Sum how, std::uint32_t sums) -> Value {
  if constexpr (requires { algebra_.join(terms, how, sums); }) {
    if (sums != 0) return algebra_.join(terms, how, sums);
  }
  return algebra_.sum(terms, how);
}

template <class Algebra>
auto Evaluator<Algebra>::ratio(std::int64_t a, std::int64_t b) -> Value {
  if (a == 0 || b == 0 || b == INT64_MIN || a == INT64_MIN) {
    return algebra_.divide(algebra_.integer(a), algebra_.integer(b));
  }
  Constant c;
  c.numerator = b < 0 ? -a : a;
  c.denominator = b < 0 ? -b : b;
  return algebra_.constant(c);
}

template <class Algebra>
void Evaluator<Algebra>::select(const lang::Instruction& i, Frame& frame) {
  const Truth t = truth(i.count, frame);
  const Value*& result = frame.references[static_cast<std::size_t>(i.target)];
  const auto branch = [&](std::int32_t number) { return frame.references[static_cast<std::size_t>(number)]; };
  Value& own = frame.registers[static_cast<std::size_t>(i.second)];
  if (t.surely_true()) {
    result = branch(i.operand);
  } else if (t.surely_false()) {
    result = branch(i.other);
  } else {
    own = algebra_.select(t, *branch(i.operand), *branch(i.other));
    result = &own;
  }
  if constexpr (requires(const Value& v, std::span<const Value> s) { algebra_.depend(v, s); }) {
    if (i.jump < 0) return;
    std::vector<Value> compared;
    for (const lang::Operand operand : plan_.compared[static_cast<std::size_t>(i.jump)]) {
      compared.push_back(get(operand, frame));
    }
    own = algebra_.depend(*result, compared);
    result = &own;
  }
}

template <class Algebra>
template <class Visit>
void Evaluator<Algebra>::for_each_term(const lang::Expr& e, std::size_t binder, Frame& frame, Visit&& visit) {
  const lang::Binder& b = e.binders[binder];
  const auto [lower, upper] = binding_.statics().range(b, frame.variables.data());
  std::int64_t& index = frame.variables[static_cast<std::size_t>(b.variable)];
  const bool innermost = binder + 1 == e.binders.size();
  for (std::int64_t value = lower; value < upper; ++value) {
    index = value;
    if (!innermost)
      for_each_term(e, binder + 1, frame, visit);
    else if (e.guard == lang::kNone || condition(e.guard, frame))
      visit();
  }
}

template <class Algebra>
void Evaluator<Algebra>::reduce(const lang::Code& code, std::int32_t pc, const lang::Instruction& i,
                                Frame& frame) {
  if (buffers_in_use_ == buffers_.size()) buffers_.emplace_back();
  std::vector<Value>& terms = buffers_[buffers_in_use_++];
  terms.clear();
  for_each_term(program_[plan_.reductions[static_cast<std::size_t>(i.operand)]], 0, frame, [&] {
    run(code, pc + 1, i.jump, frame);
    terms.push_back(get(i.other, frame));
  });
  frame.registers[static_cast<std::size_t>(i.target)] =
      i.count != 0 ? add_up(terms, Sum::reduction, UINT32_MAX)
                   : combine(static_cast<lang::Reduction>(i.detail), terms);
  --buffers_in_use_;
}

template <class Algebra>
auto Evaluator<Algebra>::combine(lang::Reduction reduction, std::span<const Value> terms) -> Value {
  using lang::Reduction;
  switch (reduction) {
    case Reduction::prod:
      return algebra_.product(terms);
    case Reduction::mean:
      return algebra_.mean(terms);
    case Reduction::max:
      return algebra_.extreme(Extreme::max, terms);
    case Reduction::min:
      return algebra_.extreme(Extreme::min, terms);
    case Reduction::fmax:
      return algebra_.extreme(Extreme::fmax, terms);
    case Reduction::fmin:
      return algebra_.extreme(Extreme::fmin, terms);
    case Reduction::argmax:
      return algebra_.arg(Extreme::max, terms);
    case Reduction::argmin:
      return algebra_.arg(Extreme::min, terms);
    default:
      return algebra_.sum(terms, Sum::reduction);  // sum, count
  }
}

template <class Algebra>
void Evaluator<Algebra>::quantify(const lang::Code& code, std::int32_t pc, const lang::Instruction& i,
                                  Frame& frame) {
  const bool any = static_cast<lang::Reduction>(i.detail) == lang::Reduction::any;
  Truth all = Truth::of(!any);
  for_each_term(program_[plan_.reductions[static_cast<std::size_t>(i.operand)]], 0, frame, [&] {
    run(code, pc + 1, i.jump, frame);
    all = any ? all || truth(i.other, frame) : all && truth(i.other, frame);
  });
  truth(i.target, frame) = all;
}

}  // namespace assay
