// The kernels of kernels/gdn against the recurrence in double, without Assay: on a GPU compiled by nvcc
// (nvcc -O3 -std=c++17 -arch=native), on the CPU executor rewritten. `gdn_program` checks small shapes of all
// members, `gdn_program bench` times large ones.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "../../kernels/gdn/run.cuh"
#include "gdn_problem.h"

namespace reference = gdn_reference;
using namespace assay::gdn;
using Erasing = gdn_reference::Erase;

// -DGDN_MEMBER=Gdn compiles one member only.
#ifdef GDN_MEMBER
#define NAME(x) #x
#define NAME_OF(x) NAME(x)
#define MEMBERS(f) f(GDN_MEMBER(), NAME_OF(GDN_MEMBER));
#else
#define MEMBERS(f)           \
  f(Gdn(), "gdn");           \
  f(DeltaNet(), "deltanet"); \
  f(Gdn2(), "gdn2");         \
  f(Kda(), "kda");           \
  f(Gla(), "gla");           \
  f(Ssd(), "ssd");           \
  f(LinearAttention(), "linear_attention");
#endif

namespace {

template <class X>
class Device {
 public:
  explicit Device(size_t count) : count_(count) {
    cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(X));
  }
  explicit Device(const std::vector<X>& host) : Device(host.size()) {
    cudaMemcpy(data_, host.data(), count_ * sizeof(X), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  X* data() const { return data_; }
  std::vector<X> host() const {
    std::vector<X> copy(count_);
    cudaMemcpy(copy.data(), data_, count_ * sizeof(X), cudaMemcpyDeviceToHost);
    return copy;
  }

 private:
  X* data_ = nullptr;
  size_t count_;
};

float value_of(float x) {
  return x;
}
float value_of(__half x) {
  return __half2float(x);
}
float value_of(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
void set(float& to, float x) {
  to = x;
}
void set(__half& to, float x) {
  to = __float2half(x);
}
void set(__nv_bfloat16& to, float x) {
  to = __float2bfloat16(x);
}

// In T, and as the recurrence is to read it.
template <class T>
std::vector<T> rounded(std::vector<float>& x) {
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    set(y[i], x[i]);
    x[i] = value_of(y[i]);
  }
  return y;
}
template <class T>
std::vector<float> floats(const Device<T>& x) {
  std::vector<float> y;
  for (const T value : x.host()) y.push_back(value_of(value));
  return y;
}

template <class M>
constexpr reference::Gate gate_of() {
  return M::by_channel ? reference::Gate::channel
         : M::gated    ? reference::Gate::scalar
                       : reference::Gate::none;
}
template <class M>
constexpr Erasing erase_of() {
  return M::wraps ? Erasing::gated : M::erases ? Erasing::key : Erasing::none;
}

struct Timing {
  double forward = 0, backward = 0;  // ms
};

// The worst distance over all outputs; prints those beyond the limit. `certify` off: only times.
template <class M, class T>
double run(reference::Problem p, const char* name, double limit, Timing* timing = nullptr,
           bool certify = true) {
  const Device<T> q(rounded<T>(p.q)), k(rounded<T>(p.k)), v(rounded<T>(p.v)), d_o(rounded<T>(p.d_o));
  const Device<float> g(p.g), beta(p.beta), b(p.b), w(p.w), s0(p.s0), d_st(p.d_st);
  const Device<int> cu(p.cu);
  const Device<T> o(p.v.size()), dq(p.q.size()), dk(p.k.size()), dv(p.v.size());
  const Device<float> st(p.s0.size()), dg(p.g.size()), dbeta(p.beta.size()), db(p.b.size()), dw(p.w.size()),
      ds0(p.s0.size());
  const assay_gdn_problem shape = {p.n, p.t, p.h, p.r, p.kd, p.vd, p.scale, p.l2norm};
  const assay_gdn_inputs in = {q.data(), k.data(), v.data(),  g.data(), beta.data(),
                               b.data(), w.data(), s0.data(), cu.data()};
  const assay_gdn_outputs out = {o.data(), st.data()};
  const assay_gdn_upstream up = {d_o.data(), d_st.data()};
  const assay_gdn_gradients gradients = {dq.data(),    dk.data(), dv.data(), dg.data(),
                                         dbeta.data(), db.data(), dw.data(), ds0.data()};
  const Scratch scratch(workspace_bytes<M, T>(shape, true));
  const auto timed = [&](auto call) {
    double best = 1e30;
    for (int i = 0; i < (timing != nullptr ? 3 : 1); ++i) {
      cudaDeviceSynchronize();
      const auto start = std::chrono::steady_clock::now();
      if (call() != ASSAY_GDN_OK) std::printf("%s: %s\n", name, message());
      if (cudaDeviceSynchronize() != cudaSuccess) std::printf("%s: CUDA fails\n", name);
      best = std::min(
          best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const double forward_time =
      timed([&] { return forward<M, T>(shape, in, out, scratch.data(), scratch.bytes(), nullptr); });
  const double backward_time = timed(
      [&] { return backward<M, T>(shape, in, up, gradients, scratch.data(), scratch.bytes(), nullptr); });
  if (timing != nullptr) *timing = {forward_time, backward_time};
  if (!certify) return 0;
  const reference::Results truth = reference::run(p);
  double worst = 0;
  const auto compare = [&](const char* output, const std::vector<double>& expected,
                           const std::vector<float>& got) {
    const double d = reference::distance(expected, got);
    worst = std::max(worst, d);
    if (!(d <= limit)) std::printf("%s %s: %g\n", name, output, d);
    if (timing != nullptr) std::printf("  %s %.1e", output, d);
  };
  compare("o", truth.o, floats(o));
  compare("st", truth.st, floats(st));
  compare("dq", truth.dq, floats(dq));
  compare("dk", truth.dk, floats(dk));
  compare("dv", truth.dv, floats(dv));
  if (M::gated) compare("dg", truth.dg, floats(dg));
  if (M::has_beta) compare("dbeta", truth.dbeta, floats(dbeta));
  if (M::wraps) compare("db", truth.db, floats(db));
  if (M::wraps) compare("dw", truth.dw, floats(dw));
  compare("ds0", truth.ds0, floats(ds0));
  if (timing != nullptr) std::printf("\n");
  return worst;
}

int failures = 0, cases = 0;

template <class M, class T>
void check(const char* name, double limit) {
  double worst = 0;
  const auto one = [&](std::vector<int64_t> lengths, int64_t tail, int64_t h, int64_t r, int64_t kd,
                       int64_t vd, bool l2norm, reference::Options options) {
    char text[200];
    std::snprintf(
        text, sizeof text, "%s n=%zu t0=%lld tail=%lld h=%lld r=%lld kd=%lld vd=%lld norm=%d g=%g resets=%d",
        name, lengths.size(), lengths.empty() ? -1LL : (long long)lengths[0], (long long)tail, (long long)h,
        (long long)r, (long long)kd, (long long)vd, l2norm, options.strength, options.resets);
    const double d = run<M, T>(
        reference::make(gate_of<M>(), erase_of<M>(), lengths, tail, h, r, kd, vd, l2norm, options, ++cases),
        text, limit);
    if (!(d <= limit)) ++failures;
    worst = std::max(worst, d);
  };
  for (const int64_t t : {0, 1, 2, 15, 17, 63, 64, 65, 127, 128, 130, 200})
    one({t}, 0, 1, 1, 8, 12, false, {});
  for (const double g : {0., 0.05, 0.7, 5., 21.}) {
    one({130}, 0, 1, 2, 16, 8, false, {g});
    one({70}, 3, 2, 1, 10, 37, true, {g, true, true});
  }
  one({0, 5, 0, 64, 65, 0, 1, 0}, 9, 2, 2, 8, 20, true, {0.1, false, true});
  one({0, 0}, 4, 1, 1, 8, 8, false, {});
  one({}, 4, 1, 1, 8, 8, false, {});
  one({}, 0, 1, 1, 8, 8, false, {});
  one({3, 66}, 0, 1, 3, 1, 1, false, {});
  one({20}, 0, 1, 1, 60, 100, true, {});
  one({9}, 0, 1, 1, 256, 250, true, {});
  std::printf("%-24s worst %.2e\n", name, worst);
}

template <class M>
void check_all(const char* name) {
  char text[64];
  std::snprintf(text, sizeof text, "%s f32", name);
  check<M, float>(text, 3e-5);
  std::snprintf(text, sizeof text, "%s bf16", name);
  check<M, __nv_bfloat16>(text, 5e-3);
  std::snprintf(text, sizeof text, "%s f16", name);
  check<M, __half>(text, 1e-3);
}

template <class M, class T>
void bench(const char* name, std::vector<int64_t> lengths, int64_t h, int64_t r, int64_t kd, int64_t vd,
           double g, bool certify) {
  Timing timing;
  const auto p = reference::make(gate_of<M>(), erase_of<M>(), lengths, 0, h, r, kd, vd, true, {g}, 7);
  run<M, T>(p, name, 1e-2, &timing, certify);
  std::printf(
      "%-16s %s t=%lld n=%lld h=%lld r=%lld kd=%lld vd=%lld g=-%g: forward %.3f ms, backward %.3f ms\n", name,
      sizeof(T) == 4 ? "f32" : "bf16", (long long)p.t, (long long)p.n, (long long)h, (long long)r,
      (long long)kd, (long long)vd, g, timing.forward, timing.backward);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "bench") == 0) {
    const auto all = [](auto member, const char* name) {
      using M = decltype(member);
      bench<M, float>(name, {8192}, 1, 1, 128, 128, 0.05, true);
      bench<M, __nv_bfloat16>(name, {8192}, 1, 1, 128, 128, 0.05, true);
      bench<M, __nv_bfloat16>(name, {8192}, 16, 2, 128, 128, 0.05, false);
    };
    MEMBERS(all)
    return 0;
  }
  const auto all = [](auto member, const char* name) { check_all<decltype(member)>(name); };
  MEMBERS(all)
  std::printf("%d cases, %d failures\n", cases, failures);
  return failures > 0;
}
