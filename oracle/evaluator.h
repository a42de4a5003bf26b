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
// storage where it is large); references that the evaluator passes stay valid during the call only. An algebra
// may have one more operation, called after a select over conditions on values, with the values compared:
//   Value depend(const Value& result, std::span<const Value> compared);

#include <cstdint>
#include <span>
#include <string_view>

#include "core/signature.h"
#include "core/tensor.h"
#include "oracle/algebra.h"
#include "oracle/program.h"

namespace assay {

template <class Algebra>
class Evaluator {
 public:
  using Value = typename Algebra::Value;

  // All arguments outlive the evaluator. `form` is empty for the contract's own definitions, or one of
  // Program::forms. The instance is admitted, `shapes` is shapes_of it and `inputs` have these shapes.
  Evaluator(const lang::Program& program, const Instance& instance, const Shapes& shapes,
            std::span<const Tensor> inputs, Algebra& algebra, std::string_view form = {});

  // Element `element` (row-major) of output `k`. The reference stays valid as long as the evaluator.
  const Value& output(std::size_t k, std::int64_t element);
};

}  // namespace assay
