#include <cassert>
#include <utility>

#include "oracle/plan_parts.h"
#include "oracle/words.h"

namespace assay::lang {

std::int32_t Lowering::truth(ExprId id, std::vector<Operand>* compared) {
  std::vector<Operand>* outer = std::exchange(build_->compared, compared);
  const std::int32_t t = truth(id);
  build_->compared = outer;
  return t;
}

std::int32_t Lowering::truth(ExprId id) {
  const Expr& e = program_[id];
  if (e.is_static) {
    Instruction& fixed = emit(Op::fixed, new_truth());
    fixed.expr = id;
    return fixed.target;
  }
  switch (e.kind) {
    case Kind::compare: {
      const Operand a = value(e.children[0], -1);
      const Operand b = value(e.children[1], -1);
      return test(Op::compare, static_cast<std::uint8_t>(e.comparison), a, b);
    }
    case Kind::call: {
      const Operand a = value(e.children[0], -1);
      return test(Op::classify,
                  static_cast<std::uint8_t>(e.text == "isnan" ? Classify::nan : Classify::infinite), a, a);
    }
    case Kind::both:
    case Kind::either: {
      const std::int32_t a = truth(e.children[0]);
      const std::int32_t b = truth(e.children[1]);
      Instruction& both = emit(e.kind == Kind::both ? Op::both : Op::either, new_truth());
      both.operand = a;
      both.other = b;
      return both.target;
    }
    case Kind::negation: {
      const std::int32_t a = truth(e.children[0]);
      Instruction& inverse = emit(Op::inverse, new_truth());
      inverse.operand = a;
      return inverse.target;
    }
    case Kind::reduction: {
      const std::int32_t place_of_reduce = begin_reduction(Op::quantify, id);
      const std::int32_t term = truth(e.children[0], nullptr);
      end_reduction(place_of_reduce, e, term);
      return at(place_of_reduce).target = new_truth();
    }
    default:
      break;
  }
  assert(false && "the checker lets conditions pass only");
  return 0;
}

std::int32_t Lowering::test(Op op, std::uint8_t detail, Operand a, Operand b) {
  if (build_->compared != nullptr) {
    build_->compared->push_back(a);
    if (op == Op::compare) build_->compared->push_back(b);
  }
  Instruction& test = emit(op, new_truth());
  test.detail = detail;
  test.operand = a;
  test.other = b;
  return test.target;
}

}  // namespace assay::lang
