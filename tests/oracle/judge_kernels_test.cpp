// Right kernels pass the judge however they order and group their operations; wrong ones do not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "oracle/judge.h"

namespace assay {
namespace {

using Random = std::mt19937_64;
using Values = std::vector<double>;  // of one tensor

Contract contract_named(const char* name) {
  Expected<Contract> c = load_contract(name);
  EXPECT_TRUE(c) << c.error().message;
  return *c;
}

Instance instance_of(const Contract& contract, DType dtype, Dims dims) {
  Instance i{dtype, std::move(dims), {}};
  for (const Attribute& a : contract.signature().attributes) i.attributes.push_back(a.fallback.value_or(0));
  return i;
}

constexpr int kFamilies = 18;
double draw(Random& random, int family, DType dtype, std::size_t i) {
  std::normal_distribution<double> z;
  const Format f = format_of(dtype);
  const double x = z(random), u = std::generate_canonical<double, 53>(random);
  switch (family) {
    case 0:
      return x;
    case 1:
      return u;
    case 2:
      return -5 + x;
    case 3:
      return 100 + x;
    case 4:
      return 10000 + x;
    case 5:
      return 30 * x;
    case 6:
      return std::ldexp(x, static_cast<int>(random() % 41) - 20);
    case 7:
      return 0.003 * x;
    case 8:
      return static_cast<double>(random() % 17) - 8;
    case 9:
      return static_cast<double>(random() % 3) - 1;
    case 10:
      return i % 2 ? -7.25 : 7.25;
    case 11:
      return dtype == DType::f16 ? -2e4 * (1 + u) : -2e30 * (1 + u);
    case 12:
      return (u - 0.5) * 2 * f.least_normal();
    case 13:
      return random() % 2 ? 0.0 : -0.0;
    case 14:
      return x * f.largest() / 4;
    case 15:
      return i == 3 ? NAN : x;
    case 16:
      return i == 5 ? HUGE_VAL : x;
    default:
      return i % 3 == 2 ? -HUGE_VAL : x;
  }
}

// The operations of a kernel in the working type T, with the freedom that an honest one has.
template <class T>
struct Kernel {
  Random& random;

  T sum(std::vector<T> x) {
    std::shuffle(x.begin(), x.end(), random);
    switch (random() % 4) {
      case 0: {
        T s = 0;
        for (const T t : x) s += t;
        return s;
      }
      case 1: {  // a tree
        if (x.empty()) return 0;
        while (x.size() > 1) {
          for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] = x[2 * i] + x[2 * i + 1];
          if (x.size() % 2) x[x.size() / 2] = x.back();
          x.resize((x.size() + 1) / 2);
        }
        return 0 + x[0];
      }
      case 2: {  // Kahan, without its NaN after an overflow
        T s = 0, c = 0;
        for (const T t : x) {
          const T y = t - c, next = s + y;
          c = std::isfinite(next) ? (next - s) - y : 0;
          s = next;
        }
        return s;
      }
      default: {  // several threads' partial sums
        T partial[4] = {};
        for (std::size_t i = 0; i < x.size(); ++i) partial[i % 4] += x[i];
        return (partial[0] + partial[2]) + (partial[1] + partial[3]);
      }
    }
  }
  T dot(const std::vector<T>& a, const std::vector<T>& b) {
    if (random() % 2) {
      T s = 0;
      for (std::size_t i = 0; i < a.size(); ++i) s = std::fma(a[i], b[i], s);
      return s;
    }
    std::vector<T> products;
    for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
    return sum(products);
  }
  T max(const std::vector<T>& x) {
    T m = -std::numeric_limits<T>::infinity();
    for (const T t : x)
      m = std::isnan(m) || std::isnan(t) ? std::numeric_limits<T>::quiet_NaN() : std::max(m, t);
    return m;
  }
};

template <class T>
using Row = std::vector<T>;

template <class T>
Row<T> softmax(Random& random, const Row<T>& x) {
  Kernel<T> k{random};
  Row<T> y(x.size());
  T m = -std::numeric_limits<T>::infinity(), s = 0;
  if (random() % 2) {  // online, in one pass
    bool nan = false;
    for (const T t : x) {
      nan |= std::isnan(t);
      const T next = std::max(m, t);
      if (next == -std::numeric_limits<T>::infinity()) continue;
      s = s * std::exp(m - next) + std::exp(t - next);
      m = next;
    }
    if (nan || s == 0) s = std::numeric_limits<T>::quiet_NaN();
  } else {
    m = k.max(x);
    Row<T> e;
    for (const T t : x) e.push_back(std::exp(t - m));
    s = k.sum(e);
  }
  const bool reciprocal = random() % 2;
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = reciprocal ? std::exp(x[i] - m) * (1 / s) : std::exp(x[i] - m) / s;
  return y;
}

template <class T>
void moments(Random& random, const Row<T>& x, T& mean, T& variance) {
  Kernel<T> k{random};
  const T n = static_cast<T>(x.size());
  if (random() % 2) {  // Welford
    T m = 0, m2 = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T d = x[i] - m;
      m += d / static_cast<T>(i + 1);
      m2 += d * (x[i] - m);
    }
    mean = m;
    variance = m2 / n;
    return;
  }
  mean = k.sum(x) / n;
  Row<T> d;
  for (const T t : x) d.push_back((t - mean) * (t - mean));
  variance = k.sum(d) / n;
}

// Rows in, rows out, in working type T; what is judged is rounded to the dtype.
template <class T>
Values run(const std::string& op, Random& random, const std::vector<Values>& in, std::int64_t rows,
           std::int64_t cols) {
  Kernel<T> k{random};
  Values out;
  const auto R = static_cast<std::size_t>(rows), C = static_cast<std::size_t>(cols);
  for (std::size_t r = 0; r < R; ++r) {
    Row<T> x(C);
    for (std::size_t c = 0; c < C; ++c) x[c] = static_cast<T>(in[0][r * C + c]);
    const auto weight = [&](std::size_t input, std::size_t c) { return static_cast<T>(in[input][c]); };
    Row<T> y(C);
    if (op == "sum") {
      y = {k.sum(x)};
    } else if (op == "max") {
      y = {k.max(x)};
    } else if (op == "softmax") {
      y = softmax(random, x);
    } else if (op == "log_softmax") {
      const T m = k.max(x);
      Row<T> e;
      for (const T t : x) e.push_back(std::exp(t - m));
      const T l = std::log(k.sum(e));
      for (std::size_t c = 0; c < C; ++c) y[c] = random() % 2 ? x[c] - m - l : (x[c] - m) - l;
    } else if (op == "layer_norm") {
      T mean = 0, variance = 0;
      moments(random, x, mean, variance);
      const T rs = 1 / std::sqrt(variance + static_cast<T>(1e-5));
      for (std::size_t c = 0; c < C; ++c)
        y[c] = random() % 2 ? std::fma((x[c] - mean) * rs, weight(1, c), weight(2, c))
                            : (x[c] - mean) * (rs * weight(1, c)) + weight(2, c);
    } else if (op == "rms_norm") {
      const T rs = 1 / std::sqrt(k.dot(x, x) / static_cast<T>(C) + static_cast<T>(1e-5));
      for (std::size_t c = 0; c < C; ++c)
        y[c] = random() % 2 ? x[c] * rs * weight(1, c) : x[c] * (rs * weight(1, c));
    } else if (op == "relu") {
      for (std::size_t c = 0; c < C; ++c)
        y[c] = std::isnan(x[c]) ? x[c] : random() % 2 ? std::max(x[c], T(0)) : x[c] > 0 ? x[c] : T(0);
    } else if (op == "sigmoid") {
      for (std::size_t c = 0; c < C; ++c) y[c] = 1 / (1 + std::exp(-x[c]));
    } else if (op == "gelu") {
      const T root = static_cast<T>(std::sqrt(0.5));
      for (std::size_t c = 0; c < C; ++c)
        y[c] = random() % 2 ? x[c] * T(0.5) * (1 + std::erf(x[c] * root))
                            : T(0.5) * (x[c] * (1 + std::erf(x[c] * root)));
    }
    for (const T t : y) out.push_back(static_cast<double>(t));
  }
  return out;
}

struct Problem {
  Contract contract;
  Instance instance;
  Shapes shapes;
  std::vector<Tensor> inputs;
  std::vector<Values> values;
};

bool is_elementwise(const std::string& op) {
  return op == "relu" || op == "sigmoid" || op == "gelu";
}

Problem problem(const std::string& op, Random& random, DType dtype, std::int64_t rows, std::int64_t cols,
                int family) {
  Contract contract = contract_named(op.c_str());
  Instance instance = instance_of(contract, dtype, is_elementwise(op) ? Dims{rows * cols} : Dims{rows, cols});
  Problem p{contract, instance, *shapes_of(contract, instance), {}, {}};
  for (std::size_t k = 0; k < p.shapes.inputs.size(); ++k) {
    Tensor t(p.shapes.inputs[k].dtype, p.shapes.inputs[k].shape);
    Values v;
    for (std::int64_t i = 0; i < t.size(); ++i) {
      t.set_bits(
          i, encode(t.dtype(), draw(random, k == 0 ? family : 0, dtype, static_cast<std::size_t>(i % cols))));
      v.push_back(t.value(i));
    }
    p.inputs.push_back(std::move(t));
    p.values.push_back(std::move(v));
  }
  return p;
}

Tensor stored(const Values& y, const TensorSpec& spec) {
  Tensor t(spec.dtype, spec.shape);
  for (std::int64_t i = 0; i < t.size(); ++i)
    t.set_bits(i, encode(spec.dtype, y[static_cast<std::size_t>(i)]));
  return t;
}

std::string explain(const OutputReport& r) {
  char text[300];
  std::snprintf(text, sizeof text,
                "%ld of %ld refused, first %ld (%s): got %.9g truth %.9g accepted %.9g .. %.9g nan %d +inf "
                "%d -inf %d; undecidable %ld",
                static_cast<long>(r.refused), static_cast<long>(r.judged), static_cast<long>(r.first_refused),
                std::string(name(r.first.reason)).c_str(), r.first.got, r.first.truth, r.first.low,
                r.first.high, r.first.nan_allowed, r.first.pos_inf_allowed, r.first.neg_inf_allowed,
                static_cast<long>(r.undecidable));
  return text;
}

const char* const kOps[] = {"sum",      "max",  "softmax", "log_softmax", "layer_norm",
                            "rms_norm", "relu", "sigmoid", "gelu"};

TEST(Judge, AcceptsHonestKernels) {
  Random random(3);
  std::int64_t judged = 0, by_mpfr = 0, ordinary = 0, ordinary_by_mpfr = 0;
  for (const char* op : kOps)
    for (int family = 0; family < kFamilies; ++family)
      for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
        for (const std::int64_t cols : {1, 2, 17, 130})
          for (int repeat = 0; repeat < 2; ++repeat) {
            const Problem p = problem(op, random, dtype, 3, cols, family);
            const Values y = dtype == DType::f64 ? run<double>(op, random, p.values, 3, cols)
                                                 : run<float>(op, random, p.values, 3, cols);
            Judge judge(p.contract, p.instance, p.inputs);
            const OutputReport r = judge.all(0, stored(y, p.shapes.outputs[0]));
            EXPECT_EQ(r.refused, 0) << op << " " << name(dtype) << " family " << family << " cols " << cols
                                    << ": " << explain(r);
            EXPECT_EQ(r.undecidable, 0)
                << op << " " << name(dtype) << " family " << family << " cols " << cols;
            judged += r.judged;
            by_mpfr += r.by_mpfr;
            if (family <= 9) ordinary += r.judged, ordinary_by_mpfr += r.by_mpfr;
          }
  std::printf("%ld judged, %ld by MPFR; of ordinary data %ld, %ld\n", static_cast<long>(judged),
              static_cast<long>(by_mpfr), static_cast<long>(ordinary), static_cast<long>(ordinary_by_mpfr));
  EXPECT_LT(ordinary_by_mpfr, ordinary / 200);
}

TEST(Judge, AcceptsTheRoundedTruth) {
  Random random(4);
  for (const char* op : kOps)
    for (int family = 0; family < 15; ++family) {
      const Problem p = problem(op, random, DType::f32, 2, 33, family);
      Judge judge(p.contract, p.instance, p.inputs);
      for (std::int64_t i = 0; i < count(p.shapes.outputs[0].shape); ++i) {
        const double truth = judge.element(0, i, 0).truth;
        const ElementReport r = judge.element(0, i, encode(DType::f32, truth));
        EXPECT_EQ(r.ruling, Ruling::accepted) << op << " family " << family << ": " << truth;
      }
    }
}

// What a wrong kernel writes, and where it must be caught.
struct Fault {
  const char* op;
  const char* fault;
  DType dtype;
  int family;
  std::function<void(Values&)> spoil_inputs;  // as the kernel sees them
  std::function<void(Values&)> spoil_outputs;
};

TEST(Judge, RefusesWrongKernels) {
  Random random(5);
  const std::int64_t rows = 2, cols = 257;
  const auto keep = [](Values&) {};
  const auto zero = [](Values& y) { std::fill(y.begin(), y.end(), 0.0); };
  const auto drop_last = [](Values& x) { x[256] = x[513] = 0; };
  const auto double_one = [](Values& x) { x[10] *= 2; };
  const auto ftz = [](Values& y) {
    for (double& v : y)
      if (std::fabs(v) < 0x1p-126) v = std::copysign(0.0, v);
  };
  const auto drops_nan = [](Values& x) {
    for (double& v : x)
      if (std::isnan(v)) v = -30;
  };
  const auto half_off = [](Values& y) {
    for (double& v : y) v = v * (1 + 0x1p-10);
  };
  const auto wrong_sign_of_zero = [](Values& y) {
    for (double& v : y)
      if (v == 0) v = -0.0;
  };
  const auto sentinel = [](Values& y) {
    for (double& v : y)
      if (v < -1e30) v = -1e30;
  };
  const auto starts_at_zero = [](Values& y) {
    for (double& v : y) v = std::max(v, 0.0);
  };
  const auto finite_max = [](Values& y) {
    for (double& v : y)
      if (std::isinf(v)) v = std::copysign(3.4028234663852886e38, v);
  };
  const std::vector<Fault> faults = {
      {"softmax", "zeros", DType::f32, 0, keep, zero},
      {"softmax", "zeros", DType::f16, 0, keep, zero},
      {"sum", "zeros", DType::f32, 3, keep, zero},
      {"layer_norm", "zeros", DType::f32, 0, keep, zero},
      {"sum", "drops the last term", DType::f32, 3, drop_last, keep},
      {"sum", "drops the last term", DType::f16, 3, drop_last, keep},
      {"sum", "drops the last term on the exact grid", DType::f32, 8, drop_last, keep},
      {"sum", "doubles a term", DType::f32, 3, double_one, keep},
      {"relu", "flushes subnormals", DType::f32, 12, keep, ftz},
      {"sum", "writes the wrong zero", DType::f32, 13, keep, wrong_sign_of_zero},
      {"max", "fmax loses a NaN", DType::f32, 15, drops_nan, keep},
      {"relu", "loses a NaN", DType::f32, 15, drops_nan, keep},
      {"softmax", "loses a NaN", DType::f32, 15, drops_nan, keep},
      {"max", "starts at -1e30", DType::f32, 11, keep, sentinel},
      {"max", "starts at 0", DType::f32, 2, keep, starts_at_zero},
      {"softmax", "is off by 2^-10", DType::f32, 0, keep, half_off},
      {"rms_norm", "is off by 2^-10", DType::f32, 0, keep, half_off},
      {"sum", "clamps infinities", DType::f32, 16, keep, finite_max},
  };
  for (const Fault& f : faults) {
    Problem p = problem(f.op, random, f.dtype, rows, cols, f.family);
    if (f.family == 8) p.inputs[0].set_bits(256, encode(f.dtype, 1));
    std::vector<Values> seen = p.values;
    f.spoil_inputs(seen[0]);
    Values y = run<float>(f.op, random, seen, rows, cols);
    f.spoil_outputs(y);
    Judge judge(p.contract, p.instance, p.inputs);
    const OutputReport r = judge.all(0, stored(y, p.shapes.outputs[0]));
    EXPECT_GT(r.refused, 0) << f.op << " " << f.fault << " in " << name(f.dtype);
  }
}

TEST(Judge, NamesTheReason) {
  const Contract sum = contract_named("sum");
  const Instance instance = instance_of(sum, DType::f32, {1, 3});
  Tensor x(DType::f32, {1, 3});
  const auto put = [&](std::initializer_list<double> values) {
    std::int64_t i = 0;
    for (const double v : values) x.set_bits(i++, encode(DType::f32, v));
  };
  const auto reason = [&](double y) {
    Judge judge(sum, instance, std::span(&x, 1));
    return judge.element(0, 0, encode(DType::f32, y)).reason;
  };
  put({1, 2, 3});
  EXPECT_EQ(reason(6), Reason::none);
  EXPECT_EQ(reason(std::nextafter(6.0f, 7.0f)), Reason::exact);
  EXPECT_EQ(reason(NAN), Reason::nan);
  EXPECT_EQ(reason(HUGE_VAL), Reason::infinity);
  put({0.1, 0.2, 0.3});
  EXPECT_EQ(reason(0.6), Reason::none);
  EXPECT_EQ(reason(0.61), Reason::value);
  put({1, NAN, 2});
  EXPECT_EQ(reason(3), Reason::nan);
  put({1, HUGE_VAL, 2});
  EXPECT_EQ(reason(3), Reason::infinity);
  EXPECT_EQ(reason(-HUGE_VAL), Reason::infinity);
  put({1, -1, 0});
  EXPECT_EQ(reason(0.0), Reason::none);
  EXPECT_EQ(reason(-0.0), Reason::zero_sign);
  Judge free(sum, instance, std::span(&x, 1), Allowances{.zero_sign = true});
  EXPECT_EQ(free.element(0, 0, encode(DType::f32, -0.0)).reason, Reason::none);
}

TEST(Judge, IndicesOfMaxima) {
  const Contract argmax = contract_named("argmax");
  const Instance instance = instance_of(argmax, DType::f32, {1, 4});
  Tensor x(DType::f32, {1, 4});
  const auto accepts = [&](std::initializer_list<double> values, std::int64_t y, bool ties) {
    std::int64_t i = 0;
    for (const double v : values) x.set_bits(i++, encode(DType::f32, v));
    Judge judge(argmax, instance, std::span(&x, 1), Allowances{.ties = ties});
    const Shapes shapes = *shapes_of(argmax, instance);
    return judge.element(0, 0, encode_integer(shapes.outputs[0].dtype, y)).ruling == Ruling::accepted;
  };
  EXPECT_TRUE(accepts({1, 3, 3, 2}, 1, false));
  EXPECT_FALSE(accepts({1, 3, 3, 2}, 2, false));
  EXPECT_TRUE(accepts({1, 3, 3, 2}, 2, true));
  EXPECT_FALSE(accepts({1, 3, 3, 2}, 3, true));
  EXPECT_FALSE(accepts({1, 3, 3, 2}, -1, true));
  EXPECT_TRUE(accepts({1, NAN, 3, NAN}, 1, false));
  EXPECT_FALSE(accepts({1, NAN, 3, NAN}, 2, false));
  EXPECT_TRUE(accepts({-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, 0, false));
  EXPECT_FALSE(accepts({-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, 1, false));
}

TEST(Judge, FootprintsAreWhatAnOutputReads) {
  const Contract matmul = contract_named("matmul");
  const Instance instance = instance_of(matmul, DType::f32, {2, 3, 4});  // m, n, k
  const std::vector<Tensor> inputs = {Tensor(DType::f32, {2, 4}), Tensor(DType::f32, {4, 3})};
  Judge judge(matmul, instance, inputs);
  EXPECT_EQ(judge.footprint(0, 4, 0), (std::vector<std::int64_t>{4, 5, 6, 7}));  // c[1, 1]
  EXPECT_EQ(judge.footprint(0, 4, 1), (std::vector<std::int64_t>{1, 4, 7, 10}));
}

TEST(Judge, Tf32IsRefusedUnlessAllowed) {
  Random random(6);
  const Contract matmul = contract_named("matmul");
  const Instance instance = instance_of(matmul, DType::f32, {4, 4, 8});
  std::vector<Tensor> inputs = {Tensor(DType::f32, {4, 8}), Tensor(DType::f32, {8, 4})};
  for (Tensor& t : inputs)
    for (std::int64_t i = 0; i < t.size(); ++i)
      t.set_bits(i, encode(DType::f32, draw(random, 0, DType::f32, 0)));
  const Tensor y = simulate(matmul, instance, inputs, {DType::f32, true})[0];
  EXPECT_GT(Judge(matmul, instance, inputs).all(0, y).refused, 8);
  EXPECT_EQ(Judge(matmul, instance, inputs, Allowances{.tf32 = true}).all(0, y).refused, 0);
  EXPECT_EQ(Judge(matmul, instance, inputs).all(0, simulate(matmul, instance, inputs, {})[0]).refused, 0);
  EXPECT_GT(Judge(matmul, instance, inputs)
                .all(0, simulate(matmul, instance, inputs, {DType::f16, false})[0])
                .refused,
            8);
}

TEST(Judge, FlushedSubnormalsAreRefusedUnlessAllowed) {
  Random random(9);
  const Problem p = problem("relu", random, DType::f32, 1, 64, 12);
  Tensor y(DType::f32, p.shapes.outputs[0].shape);  // zeros
  EXPECT_GT(Judge(p.contract, p.instance, p.inputs).all(0, y).refused, 16);
  EXPECT_EQ(Judge(p.contract, p.instance, p.inputs, Allowances{.subnormals = true}).all(0, y).refused, 0);
}

TEST(Judge, FastExponentialsAreRefusedUnlessAllowed) {
  Random random(10);
  const Problem p = problem("sigmoid", random, DType::f32, 1, 64, 5);
  Values y;
  // As __expf: one rounding of x log2 e, then 2^x; its error grows with x.
  for (const double x : p.values[0])
    y.push_back(1 / (1 + std::exp2(static_cast<double>(static_cast<float>(-x * std::numbers::log2e)))));
  const Tensor got = stored(y, p.shapes.outputs[0]);
  EXPECT_GT(Judge(p.contract, p.instance, p.inputs).all(0, got).refused, 2);
  EXPECT_EQ(Judge(p.contract, p.instance, p.inputs, Allowances{.fast_math = true}).all(0, got).refused, 0);
}

TEST(Judge, SimulatedAccumulatorsSwamp) {
  const Contract sum = contract_named("sum");
  const Instance instance = instance_of(sum, DType::f32, {1, 9});
  Tensor x(DType::f32, {1, 9});
  x.set_bits(0, encode(DType::f32, 2048));
  for (std::int64_t i = 1; i < 9; ++i) x.set_bits(i, encode(DType::f32, 1));
  EXPECT_EQ(simulate(sum, instance, std::span(&x, 1), {DType::f16, false})[0].value(0), 2048);
  EXPECT_EQ(simulate(sum, instance, std::span(&x, 1), {DType::f32, false})[0].value(0), 2056);
}

// Against differences, and the known Jacobian of softmax.
TEST(Judge, TangentsAreDerivatives) {
  Random random(8);
  for (const char* op : {"softmax", "layer_norm", "log_softmax", "sigmoid", "gelu", "rms_norm"}) {
    const Problem p = problem(op, random, DType::f64, 2, 5, 0);
    std::vector<Values> direction;
    for (const Values& v : p.values) {
      Values& d = direction.emplace_back();
      for (std::size_t i = 0; i < v.size(); ++i) d.push_back(draw(random, 0, DType::f64, 0));
    }
    const Values slopes = tangent(p.contract, p.instance, p.inputs, direction)[0];
    const double h = 1e-6;
    const auto at = [&](double step) {
      std::vector<Tensor> moved = p.inputs;
      for (std::size_t k = 0; k < moved.size(); ++k)
        for (std::int64_t i = 0; i < moved[k].size(); ++i) {
          const auto j = static_cast<std::size_t>(i);
          moved[k].set_bits(i, encode(DType::f64, p.values[k][j] + step * direction[k][j]));
        }
      return simulate(p.contract, p.instance, moved, {DType::f64, false})[0];
    };
    const Tensor up = at(h), down = at(-h);
    for (std::int64_t i = 0; i < up.size(); ++i)
      EXPECT_NEAR(slopes[static_cast<std::size_t>(i)], (up.value(i) - down.value(i)) / (2 * h), 2e-8) << op;
  }
}

}  // namespace
}  // namespace assay
