#pragma once

// Gated linear recurrences: forward and training backward. The C interface; C++ callers that know their
// member and dtype use kernels/gdn/run.h.
//
// For each sequence and value head, with state S of kd x vd, token by token (member.h names the members):
//
//   R = diag(exp g) S    d = beta (v - R^T k)    S' = R + k d^T    o = scale S'^T q
//
// Tensors are row-major, contiguous, in device memory, aligned to their elements. hv = heads * group.
//
//   q, k, dq, dk       [tokens, heads, kd]    io type
//   v, o, d_o, dv      [tokens, hv, vd]       io type
//   g, dg              [tokens, hv]           f32, natural logarithm; [tokens, hv, kd] for channel gates
//   beta, dbeta        [tokens, hv]           f32
//   b, db              [tokens, hv, kd]       f32, GDN-2
//   w, dw              [tokens, hv, vd]       f32, GDN-2
//   s0, st, d_st, ds0  [sequences, hv, kd, vd] f32
//   cu                 [sequences + 1]        i32: tokens cu[i] .. cu[i+1]-1 are sequence i
//
// Value head x reads key head x / group; dq and dk are sums over the group. cu ascends from 0, with empty
// sequences (st = s0 and ds0 = d_st, bit for bit) and cu[sequences] <= tokens; rows of outputs past it are
// zeros. Tensors that the member does not have are null. Inputs are never written, outputs need no
// preparation.
//
// Values are data: none is checked, clamped or refused. exp(g) is the factor whatever g is: -inf and g <=
// -104 are hard resets (factor 0), g > 0 grows. A NaN reaches the outputs that the recurrence takes it to, no
// others.
//
// Results are the same bits on every run. The call returns when its work is queued on the stream; it waits
// for the stream once, to read cu.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum assay_gdn_member {
  ASSAY_GDN = 0,
  ASSAY_DELTANET = 1,
  ASSAY_GDN2 = 2,
  ASSAY_KDA = 3,
  ASSAY_GLA = 4,
  ASSAY_SSD = 5,
  ASSAY_LINEAR_ATTENTION = 6
};

enum assay_gdn_dtype { ASSAY_F32 = 0, ASSAY_F16 = 1, ASSAY_BF16 = 2 };

typedef struct {
  int64_t sequences, tokens, heads, group; /* 0 or more; group 1 or more */
  int64_t kd, vd;                          /* 1 to 12224 */
  double scale;                            /* 0 means 0 */
  int l2norm;                              /* not 0: q and k are x (sum x^2 + 1e-6)^-1/2 of what is passed */
} assay_gdn_problem;

typedef struct {
  const void *q, *k, *v;
  const float *g, *beta, *b, *w, *s0;
  const int32_t* cu;
} assay_gdn_inputs;

typedef struct {
  void* o;
  float* st;
} assay_gdn_outputs;

typedef struct {
  const void* d_o;
  const float* d_st;
} assay_gdn_upstream;

typedef struct {
  void *dq, *dk, *dv;
  float *dg, *dbeta, *db, *dw, *ds0;
} assay_gdn_gradients;

/* What a call returns. On anything but ASSAY_GDN_OK nothing was launched (ASSAY_GDN_CUDA apart), and
   assay_gdn_message() is a sentence about it. */
enum assay_gdn_status {
  ASSAY_GDN_OK = 0,
  ASSAY_GDN_BAD_DIMS = 1,  /* a negative extent, kd or vd out of 1..12224, more than 2^31 tokens or blocks */
  ASSAY_GDN_NULL = 2,      /* a tensor that the member has is null */
  ASSAY_GDN_UNALIGNED = 3, /* a tensor does not lie on a multiple of its element's size */
  ASSAY_GDN_BAD_SEQUENCES = 4, /* cu does not start at 0, descends, or goes beyond tokens */
  ASSAY_GDN_WORKSPACE = 5,     /* the workspace is null, unaligned (256 bytes) or too small */
  ASSAY_GDN_CUDA = 6,   /* CUDA refused a copy or a launch; sticky errors of earlier work end here too */
  ASSAY_GDN_UNKNOWN = 7 /* no such member or dtype */
};

/* Bytes of scratch memory that a call needs, 0 for a problem that is refused. */
size_t assay_gdn_forward_workspace(int member, const assay_gdn_problem* problem);
size_t assay_gdn_backward_workspace(int member, const assay_gdn_problem* problem);

/* `stream` is a cudaStream_t. The forward state is recomputed by the backward: nothing is saved between them.
 */
int assay_gdn_forward(int member, int dtype, const assay_gdn_problem* problem, const assay_gdn_inputs* inputs,
                      const assay_gdn_outputs* outputs, void* workspace, size_t workspace_bytes,
                      void* stream);
int assay_gdn_backward(int member, int dtype, const assay_gdn_problem* problem,
                       const assay_gdn_inputs* inputs, const assay_gdn_upstream* upstream,
                       const assay_gdn_gradients* gradients, void* workspace, size_t workspace_bytes,
                       void* stream);

/* About the calling thread's last call that did not return ASSAY_GDN_OK; valid until its next. */
const char* assay_gdn_message(void);

#ifdef __cplusplus
}
#endif
