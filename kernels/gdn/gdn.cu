// The C interface: gdn.h.

#include "run.cuh"

namespace assay::gdn {
namespace {

// f of the member's and the dtype's types; `otherwise` where there are none.
template <class Result, class F>
Result with_member(int member, Result otherwise, F f) {
  switch (member) {
    case ASSAY_GDN:
      return f(Gdn());
    case ASSAY_DELTANET:
      return f(DeltaNet());
    case ASSAY_GDN2:
      return f(Gdn2());
    case ASSAY_KDA:
      return f(Kda());
    case ASSAY_GLA:
      return f(Gla());
    case ASSAY_SSD:
      return f(Ssd());
    case ASSAY_LINEAR_ATTENTION:
      return f(LinearAttention());
    default:
      return otherwise;
  }
}
template <class F>
int with_types(int member, int dtype, F f) {
  const int unknown =
      refuse(ASSAY_GDN_UNKNOWN, "there is no member %d with dtype %d; members are 0 to 6, dtypes 0 to 2",
             member, dtype);
  return with_member(member, unknown, [&](auto m) {
    switch (dtype) {
      case ASSAY_F32:
        return f(m, float());
      case ASSAY_F16:
        return f(m, __half());
      case ASSAY_BF16:
        return f(m, __nv_bfloat16());
      default:
        return unknown;
    }
  });
}

size_t bytes_of(int member, const assay_gdn_problem& problem, bool backward) {
  return with_member(member, size_t{0}, [&](auto m) {
    return workspace_bytes<decltype(m), float>(problem, backward);  // the same for every dtype
  });
}

}  // namespace
}  // namespace assay::gdn

extern "C" {

size_t assay_gdn_forward_workspace(int member, const assay_gdn_problem* problem) {
  return assay::gdn::bytes_of(member, *problem, false);
}

size_t assay_gdn_backward_workspace(int member, const assay_gdn_problem* problem) {
  return assay::gdn::bytes_of(member, *problem, true);
}

int assay_gdn_forward(int member, int dtype, const assay_gdn_problem* problem, const assay_gdn_inputs* inputs,
                      const assay_gdn_outputs* outputs, void* workspace, size_t workspace_bytes,
                      void* stream) {
  return assay::gdn::with_types(member, dtype, [&](auto m, auto t) {
    return assay::gdn::forward<decltype(m), decltype(t)>(*problem, *inputs, *outputs, workspace,
                                                         workspace_bytes, static_cast<cudaStream_t>(stream));
  });
}

int assay_gdn_backward(int member, int dtype, const assay_gdn_problem* problem,
                       const assay_gdn_inputs* inputs, const assay_gdn_upstream* upstream,
                       const assay_gdn_gradients* gradients, void* workspace, size_t workspace_bytes,
                       void* stream) {
  return assay::gdn::with_types(member, dtype, [&](auto m, auto t) {
    return assay::gdn::backward<decltype(m), decltype(t)>(*problem, *inputs, *upstream, *gradients, workspace,
                                                          workspace_bytes, static_cast<cudaStream_t>(stream));
  });
}

const char* assay_gdn_message(void) {
  return assay::gdn::message();
}

}  // extern "C"
