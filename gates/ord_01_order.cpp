// ORD-01 order: permuting what a reduction may reorder stays inside the budget.
//
// Draws rows of ordinary values that are sorted, reversed or alternate between extremes: the orders in which
// running sums drift, a running maximum changes at every step or never, and a search that keeps the wrong end
// shows. Decides by the budget.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.fills = {{Fill::normal, 3}, {Fill::uniform, 1}, {Fill::large, 3}, {Fill::wide, 2}, {Fill::cancelling, 2}};
  d.orders = {Order::ascending, Order::descending, Order::alternating, Order::reversed};
  d.long_rows = true;
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  if (subject.contract.has_reduction() || subject.contract.is_argument_search()) return std::nullopt;
  // A maximum is no sum, but it is a reduction of the outputs' footprint all the same.
  const auto& signature = subject.contract.signature();
  for (const TensorSignature& input : signature.inputs)
    for (const TensorSignature& output : signature.outputs)
      if (output.rank < input.rank) return std::nullopt;
  return "the contract reduces nothing";
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  return run_and_judge(c, subject, runner, kValueReasons);
}

}  // namespace

extern const Gate ord_01_order;
const Gate ord_01_order = {
    .id = "ORD-01",
    .title = "order",
    .law = "permuting what a reduction may reorder stays inside the budget",
    .tolerance_free = false,
    .weight = 1,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
