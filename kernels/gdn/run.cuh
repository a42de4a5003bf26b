#pragma once

// The host side: what is refused, where the workspace goes, and the launches. `forward<Gdn, float>(...)` and
// `backward<...>` are the C++ interface; they take the structs of gdn.h, with pointers to T behind void*, and
// return its status codes.

#include <cmath>
#include <cstdio>
#include <vector>

#include "gdn.h"
#include "gradient.cuh"
#include "scan.cuh"

namespace assay::gdn {

inline char* message() {
  static thread_local char text[256] = "";
  return text;
}
template <class... Values>
int refuse(int status, const char* format, Values... values) {
  std::snprintf(message(), 256, format, values...);
  return status;
}

constexpr int64_t kMostTokens = 0x7fffffff;  // cu is 32 bits wide
constexpr int64_t kMostBlocks = 0x7fffffff;

inline int64_t slots_of(const assay_gdn_problem& p) {
  return p.tokens / kChunk + p.sequences;
}
inline int64_t splits_of(const assay_gdn_problem& p) {
  return (p.vd + columns_of(p.kd, p.vd) - 1) / columns_of(p.kd, p.vd);
}

inline int check_dims(const assay_gdn_problem& p) {
  if (p.sequences < 0 || p.tokens < 0 || p.heads < 0)
    return refuse(ASSAY_GDN_BAD_DIMS, "sequences %lld, tokens %lld and heads %lld must not be negative",
                  (long long)p.sequences, (long long)p.tokens, (long long)p.heads);
  if (p.group < 1)
    return refuse(ASSAY_GDN_BAD_DIMS, "group is %lld; a key head has 1 value head or more",
                  (long long)p.group);
  if (p.kd < 1 || p.kd > kMostChannels || p.vd < 1 || p.vd > kMostChannels)
    return refuse(ASSAY_GDN_BAD_DIMS, "kd is %lld and vd %lld; both must be 1 to %d", (long long)p.kd,
                  (long long)p.vd, kMostChannels);
  // What the states of all chunks take, the largest part of the workspace, as a number of floats.
  const double states = (double)slots_of(p) * (double)p.heads * (double)p.group * (double)(p.kd * p.vd);
  if (states > 1e17 || p.tokens > kMostTokens || p.sequences > kMostTokens || p.heads > 65535 ||
      p.group > 65535 ||
      (p.heads > 0 && (slots_of(p) > kMostBlocks / (p.heads * p.group) ||
                       p.sequences > kMostBlocks / (p.heads * p.group * splits_of(p)))))
    return refuse(ASSAY_GDN_BAD_DIMS,
                  "%lld tokens of %lld sequences and %lld x %lld heads of %lld x %lld are too many",
                  (long long)p.tokens, (long long)p.sequences, (long long)p.heads, (long long)p.group,
                  (long long)p.kd, (long long)p.vd);
  return ASSAY_GDN_OK;
}

// Whether a tensor of `count` elements may be used; `element` is the size of one.
inline int check_tensor(const char* name, const void* data, int64_t count, size_t element) {
  if (count > 0 && data == nullptr)
    return refuse(ASSAY_GDN_NULL, "%s is null, and has %lld elements", name, (long long)count);
  if ((uintptr_t)data % element != 0)
    return refuse(ASSAY_GDN_UNALIGNED, "%s lies at %p; it must be aligned to its elements of %zu bytes", name,
                  data, element);
  return ASSAY_GDN_OK;
}

// cu on the host; waits for the stream.
inline int read_sequences(const assay_gdn_problem& p, const int32_t* cu, cudaStream_t stream, int64_t& used) {
  std::vector<int32_t> ends(p.sequences + 1);
  cudaError_t error =
      cudaMemcpyAsync(ends.data(), cu, ends.size() * sizeof(int32_t), cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return refuse(ASSAY_GDN_CUDA, "cu cannot be read: %s", cudaGetErrorString(error));
  if (ends[0] != 0) return refuse(ASSAY_GDN_BAD_SEQUENCES, "cu[0] is %d, not 0", ends[0]);
  for (size_t i = 1; i < ends.size(); ++i)
    if (ends[i] < ends[i - 1])
      return refuse(ASSAY_GDN_BAD_SEQUENCES, "cu descends: cu[%zu] is %d and cu[%zu] is %d", i - 1,
                    ends[i - 1], i, ends[i]);
  used = ends.back();
  if (used > p.tokens)
    return refuse(ASSAY_GDN_BAD_SEQUENCES, "cu[%lld] is %lld, beyond the %lld tokens", (long long)p.sequences,
                  (long long)used, (long long)p.tokens);
  return ASSAY_GDN_OK;
}

// Hands out the workspace, or without one counts its bytes.
class Arena {
 public:
  explicit Arena(void* base) : base_(static_cast<char*>(base)) {}
  float* take(int64_t floats) {
    float* at = base_ == nullptr ? nullptr : reinterpret_cast<float*>(base_ + bytes_);
    bytes_ += (static_cast<size_t>(floats) * sizeof(float) + 255) / 256 * 256;
    return at;
  }
  size_t bytes() const { return bytes_; }

 private:
  char* base_;
  size_t bytes_ = 256;  // never 0, which means refused
};

template <class M, class T>
void lay_out(const assay_gdn_problem& p, bool backward, Arena& arena, Arguments<T>& a) {
  const int64_t keys = p.tokens * p.heads * p.kd, strengths = p.tokens * p.heads * p.group;
  const int64_t blocks = slots_of(p) * p.heads * p.group;
  const int64_t gates = M::by_channel ? strengths * p.kd : M::gated ? strengths : 0;
  a.qn = arena.take(keys);
  a.kn = arena.take(keys);
  a.q_rms = arena.take(p.tokens * p.heads);
  a.k_rms = arena.take(p.tokens * p.heads);
  a.decay = arena.take(gates);
  a.head_decay = arena.take(gates);
  a.tail_decay = arena.take(gates);
  a.read_scores = arena.take(blocks * kChunk * kChunk);
  a.erase_scores = arena.take(M::erases ? blocks * kChunk * kChunk : 0);
  if (!backward) return;
  a.errors = arena.take(strengths * p.vd);
  a.z = arena.take(strengths * p.vd);
  a.states = arena.take(blocks * p.kd * p.vd);
  a.adjoints = arena.take(blocks * p.kd * p.vd);
  const int64_t parts = slots_of(p) * kChunk * p.heads * p.kd;
  a.dq_sum = arena.take(parts);
  a.dk_sum = arena.take(parts);
  a.carried = arena.take(M::gated ? slots_of(p) * p.heads * p.kd : 0);
  a.dq_part = arena.take(parts);
  a.dk_part = arena.take(parts);
  a.dp_part = arena.take(M::erases ? parts : 0);
}

template <class M, class T>
size_t workspace_bytes(const assay_gdn_problem& p, bool backward) {
  if (check_dims(p) != ASSAY_GDN_OK) return 0;
  Arena arena(nullptr);
  Arguments<T> a;
  lay_out<M>(p, backward, arena, a);
  return arena.bytes();
}

// A block has a thread for each 4 x 4 elements of its largest product, whole warps, at most 256.
inline int threads_for(int64_t m, int64_t n) {
  const int64_t wanted = ((m + 3) / 4) * ((n + 3) / 4);
  return wanted >= 256 ? 256 : (int)((wanted + 31) / 32 * 32);
}

// Everything that both directions do before the scans. On success the kernels of K0 are queued.
template <class M, class T>
int begin(const assay_gdn_problem& p, const assay_gdn_inputs& in, bool backward, void* workspace,
          size_t bytes, cudaStream_t stream, Arguments<T>& a) {
  const int64_t keys = p.tokens * p.heads * p.kd, strengths = p.tokens * p.heads * p.group;
  const int64_t values = strengths * p.vd, states = p.sequences * p.heads * p.group * p.kd * p.vd;
  const int64_t gates = M::by_channel ? strengths * p.kd : strengths;
  int status = ASSAY_GDN_OK;
  const auto check = [&](const char* name, const void* data, int64_t count, size_t element) {
    if (status == ASSAY_GDN_OK) status = check_tensor(name, data, count, element);
  };
  check("q", in.q, keys, sizeof(T));
  check("k", in.k, keys, sizeof(T));
  check("v", in.v, values, sizeof(T));
  if (M::gated) check("g", in.g, gates, 4);
  if (M::has_beta) check("beta", in.beta, strengths, 4);
  if (M::wraps) check("b", in.b, strengths * p.kd, 4);
  if (M::wraps) check("w", in.w, values, 4);
  check("s0", in.s0, states, 4);
  check("cu", in.cu, p.sequences + 1, 4);
  if (status != ASSAY_GDN_OK) return status;
  const size_t needed = workspace_bytes<M, T>(p, backward);
  if (workspace == nullptr || (uintptr_t)workspace % 256 != 0 || bytes < needed)
    return refuse(ASSAY_GDN_WORKSPACE,
                  "the workspace at %p of %zu bytes must be aligned to 256 and have %zu bytes", workspace,
                  bytes, needed);
  int64_t used = 0;
  if (status = read_sequences(p, in.cu, stream, used); status != ASSAY_GDN_OK) return status;

  Arena arena(workspace);
  lay_out<M>(p, backward, arena, a);
  a.sequences = p.sequences;
  a.tokens = p.tokens;
  a.used = used;
  a.slots = slots_of(p);
  a.heads = (int)p.heads;
  a.group = (int)p.group;
  a.kd = (int)p.kd;
  a.vd = (int)p.vd;
  a.scale = (float)p.scale;
  a.l2norm = p.l2norm != 0;
  a.q = static_cast<const T*>(in.q);
  a.k = static_cast<const T*>(in.k);
  a.v = static_cast<const T*>(in.v);
  a.g = in.g;
  a.beta = in.beta;
  a.b = in.b;
  a.w = in.w;
  a.s0 = in.s0;
  a.cu = in.cu;
  if (used == 0 || p.heads == 0) return ASSAY_GDN_OK;
  const int64_t rows = 2 * used * p.heads, side = used < kChunk ? used : kChunk;
  const int row_threads = rows < 128 ? 32 : 128;
  const unsigned row_blocks = (unsigned)(rows / row_threads < 65535 ? rows / row_threads + 1 : 65535);
  const unsigned blocks = (unsigned)(a.slots * a.heads * a.group);
  normalise<T><<<row_blocks, row_threads, 0, stream>>>(a);
  prepare<M, T><<<blocks, threads_for(side, side), 0, stream>>>(a);
  return ASSAY_GDN_OK;
}

// Zeros for the rows of the padding tail.
inline cudaError_t clear_tail(void* rows, int64_t used, int64_t tokens, size_t row_bytes,
                              cudaStream_t stream) {
  if (used == tokens || row_bytes == 0) return cudaSuccess;
  return cudaMemsetAsync(static_cast<char*>(rows) + (size_t)used * row_bytes, 0,
                         (size_t)(tokens - used) * row_bytes, stream);
}

template <class T>
int scan_columns(const Arguments<T>& a) {
  return columns_of(a.kd, a.vd);
}
template <class T>
unsigned scan_blocks(const Arguments<T>& a) {
  return (unsigned)(a.sequences * a.heads * a.group * ((a.vd + scan_columns(a) - 1) / scan_columns(a)));
}
template <class T>
size_t scan_shared(const Arguments<T>& a) {
  return (size_t)(a.kd + kChunk) * scan_columns(a) * sizeof(float);
}
template <class T>
int scan_threads(const Arguments<T>& a) {
  return threads_for(a.kd > a.used ? a.kd : a.used < kChunk ? a.used : kChunk, scan_columns(a));
}

inline int end(cudaError_t error) {
  if (error == cudaSuccess) error = cudaGetLastError();
  return error == cudaSuccess ? ASSAY_GDN_OK : refuse(ASSAY_GDN_CUDA, "CUDA: %s", cudaGetErrorString(error));
}

template <class M, class T>
int forward(const assay_gdn_problem& p, const assay_gdn_inputs& in, const assay_gdn_outputs& out,
            void* workspace, size_t bytes, cudaStream_t stream) {
  int status = check_dims(p);
  if (status != ASSAY_GDN_OK) return status;
  const int64_t heads = p.heads * p.group;
  status = check_tensor("o", out.o, p.tokens * heads * p.vd, sizeof(T));
  if (status == ASSAY_GDN_OK) status = check_tensor("st", out.st, p.sequences * heads * p.kd * p.vd, 4);
  Arguments<T> a{};
  a.o = static_cast<T*>(out.o);
  a.st = out.st;
  if (status == ASSAY_GDN_OK) status = begin<M>(p, in, false, workspace, bytes, stream, a);
  if (status != ASSAY_GDN_OK) return status;
  if (const unsigned blocks = scan_blocks(a); blocks > 0)
    forward_scan<M, T, true><<<blocks, scan_threads(a), scan_shared(a), stream>>>(a);
  return end(clear_tail(out.o, a.used, a.tokens, heads * p.vd * sizeof(T), stream));
}

template <class M, class T>
int backward(const assay_gdn_problem& p, const assay_gdn_inputs& in, const assay_gdn_upstream& up,
             const assay_gdn_gradients& out, void* workspace, size_t bytes, cudaStream_t stream) {
  int status = check_dims(p);
  if (status != ASSAY_GDN_OK) return status;
  const int64_t heads = p.heads * p.group, states = p.sequences * heads * p.kd * p.vd;
  const int64_t keys = p.heads * p.kd, values = heads * p.vd;  // a token
  const int64_t gates = M::by_channel ? heads * p.kd : heads;
  const auto check = [&](const char* name, const void* data, int64_t count, size_t element) {
    if (status == ASSAY_GDN_OK) status = check_tensor(name, data, count, element);
  };
  check("d_o", up.d_o, p.tokens * values, sizeof(T));
  check("d_st", up.d_st, states, 4);
  check("dq", out.dq, p.tokens * keys, sizeof(T));
  check("dk", out.dk, p.tokens * keys, sizeof(T));
  check("dv", out.dv, p.tokens * values, sizeof(T));
  if (M::gated) check("dg", out.dg, p.tokens * gates, 4);
  if (M::has_beta) check("dbeta", out.dbeta, p.tokens * heads, 4);
  if (M::wraps) check("db", out.db, p.tokens * heads * p.kd, 4);
  if (M::wraps) check("dw", out.dw, p.tokens * values, 4);
  check("ds0", out.ds0, states, 4);
  Arguments<T> a{};
  a.d_o = static_cast<const T*>(up.d_o);
  a.d_st = up.d_st;
  a.dq = static_cast<T*>(out.dq);
  a.dk = static_cast<T*>(out.dk);
  a.dv = static_cast<T*>(out.dv);
  a.dg = out.dg;
  a.dbeta = out.dbeta;
  a.db = out.db;
  a.dw = out.dw;
  a.ds0 = out.ds0;
  if (status == ASSAY_GDN_OK) status = begin<M>(p, in, true, workspace, bytes, stream, a);
  if (status != ASSAY_GDN_OK) return status;
  if (const unsigned blocks = scan_blocks(a); blocks > 0) {
    forward_scan<M, T, false><<<blocks, scan_threads(a), scan_shared(a), stream>>>(a);
    reverse_scan<M, T><<<blocks, scan_threads(a), scan_shared(a), stream>>>(a);
    if (a.used > 0)
      gradients<M, T><<<(unsigned)(a.slots * a.heads), threads_for(kChunk, a.kd), 0, stream>>>(a);
  }
  cudaError_t error = cudaSuccess;
  const auto clear = [&](void* rows, size_t row_bytes) {
    if (error == cudaSuccess && !seeded<Fault::tail_unwritten>)
      error = clear_tail(rows, a.used, a.tokens, row_bytes, stream);
  };
  clear(out.dq, keys * sizeof(T));
  clear(out.dk, keys * sizeof(T));
  clear(out.dv, values * sizeof(T));
  if (M::gated) clear(out.dg, gates * 4);
  if (M::has_beta) clear(out.dbeta, heads * 4);
  if (M::wraps) clear(out.db, heads * p.kd * 4);
  if (M::wraps) clear(out.dw, values * 4);
  return end(error);
}

// A workspace of the call's own, freed when the call has ended.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : bytes_(bytes) {
    if (cudaMalloc(&data_, bytes) != cudaSuccess) data_ = nullptr;
  }
  ~Scratch() { cudaFree(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

template <class M, class T>
int forward(const assay_gdn_problem& p, const assay_gdn_inputs& in, const assay_gdn_outputs& out) {
  if (const int status = check_dims(p); status != ASSAY_GDN_OK) return status;
  const Scratch scratch(workspace_bytes<M, T>(p, false));
  return forward<M, T>(p, in, out, scratch.data(), scratch.bytes(), nullptr);
}
template <class M, class T>
int backward(const assay_gdn_problem& p, const assay_gdn_inputs& in, const assay_gdn_upstream& up,
             const assay_gdn_gradients& out) {
  if (const int status = check_dims(p); status != ASSAY_GDN_OK) return status;
  const Scratch scratch(workspace_bytes<M, T>(p, true));
  return backward<M, T>(p, in, up, out, scratch.data(), scratch.bytes(), nullptr);
}

}  // namespace assay::gdn
