#include "properties/sizes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "core/realise.h"
#include "gates/execute.h"
#include "gates/sparse.h"
#include "properties/attributes.h"
#include "properties/generate.h"

namespace assay {
namespace {

using Extents = std::vector<std::int64_t>;

const Extents kInner = {16, 32, 32, 48, 64, 64, 80, 96, 128, 128, 160, 192, 256, 512, 1024, 2048};
const Extents kOuter = {8, 16, 32, 64, 128};
const Extents kBoundary = {1,   2,   3,   4,   5,   7,   8,    12,   13,   15,   16,   17,   20,   31,  32,
                           33,  36,  47,  61,  63,  64,  65,   100,  127,  128,  129,  251,  255,  256, 257,
                           260, 509, 511, 512, 513, 516, 1021, 1023, 1024, 1025, 2047, 2048, 2049, 4099};
const Extents kLong = {256, 257, 512, 1000, 1024, 1025, 1536, 2048, 2049, 4096, 4097, 8192};
// Rows beyond what one block or one thread of many kernels holds; widths of models that are in use.
const Extents kStretched = {1025, 1152, 1280, 1536, 2047, 2050, 2560, 3000, 3072, 3584,  4095,  4096,  4098,
                            5000, 5120, 6144, 6145, 7168, 8191, 8192, 8193, 9216, 10000, 11008, 12288, 12289};
// Tiles of blocks, and what spans two of them.
const Extents kTiles = {64, 96, 127, 128, 128, 128, 129, 192, 256};
// Elements of all tensors of a case whose sizes are seldom drawn.
constexpr std::int64_t kSeldomCase = 70'000;
constexpr std::int64_t kLongestCase = 150'000;
constexpr std::int64_t kTallest = 5128;  // of a dim that a grid may have a block for each of
// Elements of all tensors of a case with a long row.
constexpr std::int64_t kUsualLongCase = 6000;
constexpr std::int64_t kLargeLongCase = 40000;
constexpr std::int64_t kTallCase = 800'000;
const Extents kShort = {1, 2, 3, 4, 8};
// The second and third dimension of a grid end at 65,535.
const Extents kGridLimit = {65535, 65536, 65537};

// Numbers that the domain's own conditions speak of, with their neighbours: `where cols == 100` is met.
Extents named_extents(const Subject& subject) {
  const std::string text = conditions_text(subject);
  Extents result;
  for (std::size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::int64_t number = 0;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && number < 1'000'000; ++i)
      number = number * 10 + (text[i] - '0');
    for (std::int64_t n : {number - 1, number, number + 1, 2 * number, 3 * number})
      if (n >= 1) result.push_back(n);
  }
  return result;
}

// Dims that are the last one of some input: what a kernel loops over or vectorises.
std::vector<bool> inner_dims(const Subject& subject) {
  const std::size_t n = subject.contract.signature().dims.size();
  std::vector<bool> inner(n, n == 1);
  Instance probe{subject.dtypes.front(), Dims(n), {}};
  for (const Attribute& a : subject.contract.signature().attributes)
    probe.attributes.push_back(a.fallback.value_or(1));
  // Extents that tell the dims apart.
  for (std::size_t d = 0; d < n; ++d) probe.dims[d] = 64 * static_cast<std::int64_t>(d + 3);
  const auto shapes = shapes_of(subject.contract, probe);
  if (!shapes) return std::vector<bool>(n, true);
  for (const TensorSpec& spec : shapes->inputs)
    for (std::size_t d = 0; d < n; ++d)
      if (!spec.is_index && !spec.shape.empty() && spec.shape.back() == probe.dims[d]) inner[d] = true;
  return inner;
}

// Dims of which every output element reads as much however large they are: rows that a grid has a block for.
std::vector<std::size_t> stacked_dims(const Subject& subject, const Instance& like) {
  const auto reads = [&](const Dims& dims) -> std::optional<std::size_t> {
    Instance instance = like;
    instance.dims = dims;
    if (!admits(subject.contract, instance)) return std::nullopt;
    const auto shapes = shapes_of(subject.contract, instance);
    if (!shapes) return std::nullopt;
    Case c;
    c.contract = subject.contract.signature().name;
    c.instance = instance;
    c.inputs.resize(shapes->inputs.size());
    c.output_offsets.resize(shapes->outputs.size());
    const std::vector<Tensor> inputs = realise(c, *shapes);
    Judge judge(subject.contract, instance, inputs);
    std::size_t most = 0;
    for (std::size_t output = 0; output < shapes->outputs.size(); ++output)
      for (std::int64_t i = 0; i < count(shapes->outputs[output].shape); ++i) {
        std::size_t all = 0;
        for (std::size_t input = 0; input < inputs.size(); ++input)
          all += judge.footprint(output, i, input).size();
        most = std::max(most, all);
      }
    return most;
  };
  std::vector<std::size_t> result;
  const Dims small(like.dims.size(), 2);
  const auto few = reads(small);
  for (std::size_t d = 0; few && d < small.size(); ++d) {
    Dims larger = small;
    larger[d] = 4;
    if (reads(larger) == few) result.push_back(d);
  }
  return result;
}

// The same at the attributes' defaults, computed once a contract: many draws ask.
const std::vector<std::size_t>& known_stacked_dims(const Subject& subject) {
  thread_local std::map<std::string, std::vector<std::size_t>, std::less<>> known;
  const std::string_view source = subject.contract.source();
  const auto found = known.find(source);
  if (found != known.end()) return found->second;
  const Signature& signature = subject.contract.signature();
  Instance like{subject.contract.dtypes().front(), Dims(signature.dims.size(), 1), {}};
  for (const Attribute& a : signature.attributes) like.attributes.push_back(a.fallback.value_or(1));
  return known.emplace(source, stacked_dims(subject, like)).first->second;
}

class InstanceDrawer {
 public:
  InstanceDrawer(const Subject& subject, const Draw& draw, CounterRandom& random)
      : subject_(subject),
        draw_(draw),
        random_(random),
        inner_(inner_dims(subject)),
        named_(named_extents(subject)) {}

  std::optional<Instance> draw() {
    if (auto instance = seldom()) return instance;
    std::int64_t limit = draw_.max_elements;
    Sizes sizes = draw_.sizes;
    if (draw_.long_rows && random_.below(4) == 0) sizes = Sizes::long_row;
    if (sizes == Sizes::long_row) limit = random_.below(8) ? kUsualLongCase : kLargeLongCase;
    if (draw_.sizes != Sizes::long_row) limit >>= random_.below(3);
    if ((sizes == Sizes::boundary || sizes == Sizes::any) && random_.below(8) == 0)
      limit = 4 * draw_.max_elements;  // room for 1025 columns
    if (sizes != Sizes::long_row && random_.below(128) == 0) limit = draw_.max_elements * 32;
    for (int attempt = 0; attempt < 64; ++attempt) {
      if (attempt == 4) limit = std::max(limit, draw_.max_elements);  // the least friendly case may be larger
      if (attempt == 16) limit *= 8;
      Instance instance = blank();
      fill(instance, sizes, limit);
      // A domain may couple dims.
      if (attempt >= 8 && random_.below(3) == 0)
        std::fill(instance.dims.begin(), instance.dims.end(), any_of(instance.dims));
      if (fits(instance, limit) && in_domain(instance)) return strided(instance, sizes, limit);
    }
    return search(limit);
  }

  // One dim where a grid's ends, the others tiny.
  std::optional<Instance> draw_tall() {
    Instance instance = blank();
    if (instance.dims.size() < 2) return std::nullopt;
    std::vector<std::size_t> stacked;
    for (const std::size_t d : stacked_dims(subject_, instance))
      if (!inner_[d]) stacked.push_back(d);
    if (stacked.empty()) return std::nullopt;
    for (int attempt = 0; attempt < 16; ++attempt) {
      for (std::int64_t& n : instance.dims) n = any_of({1, 2, 3});
      instance.dims[any_of(stacked)] = any_of(kGridLimit);
      if (in_domain(instance) && fits(instance, kTallCase)) return instance;
    }
    return std::nullopt;
  }

  // More than 2^31 elements, in the first dim of all.
  std::optional<Instance> draw_huge() {
    for (int attempt = 0; attempt < 16; ++attempt) {
      Instance instance = blank();
      const std::int64_t beyond =
          (std::int64_t{1} << (random_.below(4) ? 31 : 32)) + any_of({1, 32, 33, 4096, 70001});
      if (instance.dims.size() == 1) {
        instance.dims[0] = beyond;
      } else {
        instance.dims[1] = any_of({32, 64, 257, 1024});
        // The last row starts beyond, too.
        instance.dims[0] = beyond / instance.dims[1] + 2 + static_cast<std::int64_t>(random_.below(4));
      }
      if (in_domain(instance)) return instance;
    }
    return std::nullopt;
  }

 private:
  template <class T>
  T any_of(const std::vector<T>& values) {
    return values[random_.below(values.size())];
  }
  std::int64_t any_of(std::initializer_list<std::int64_t> values) { return any_of(Extents(values)); }

  // Where the kernel's own numbers may matter, long rows, and large extents together; nothing for most cases.
  std::optional<Instance> seldom() {
    if (!subject_.hints.empty() && random_.below(8) == 0) return hinted();
    if (draw_.sizes != Sizes::long_row && random_.below(24) == 0) return stretched();
    if (random_.below(96) == 0) return all_large();
    return std::nullopt;
  }

  // The dim that is long: an inner one, or one that is read through for one output (rows of a mean). Rows
  // that only stand beside each other would cost a block each and show nothing.
  std::size_t long_dim(const Instance& like, std::uint64_t inner_of_four) {
    const std::vector<std::size_t>& stacked = known_stacked_dims(subject_);
    std::vector<std::size_t> inner, all;
    for (std::size_t d = 0; d < like.dims.size(); ++d) {
      if (inner_[d]) inner.push_back(d);
      if (inner_[d] || std::find(stacked.begin(), stacked.end(), d) == stacked.end()) all.push_back(d);
    }
    if (all.empty()) return 0;
    return inner.empty() || random_.below(4) >= inner_of_four ? any_of(all) : any_of(inner);
  }

  // Dims of which an output element reads more where there are more, but for those inside a row: a recurrence
  // runs over one of them.
  std::vector<std::size_t> steps(const Instance& like) {
    const std::vector<std::size_t>& stacked = known_stacked_dims(subject_);
    std::vector<std::size_t> result;
    for (std::size_t d = 0; d < like.dims.size(); ++d)
      if (!inner_[d] && std::find(stacked.begin(), stacked.end(), d) == stacked.end()) result.push_back(d);
    return result;
  }

  // Friendly sizes stay multiples of 8, beside few rows.
  std::int64_t befriended(std::int64_t n) const {
    return draw_.sizes == Sizes::friendly && n > 4 ? std::max<std::int64_t>(n / 8 * 8, 8) : n;
  }

  // One of the source's numbers, a neighbour, a multiple, or the product of two (threads and items of each).
  std::int64_t hinted_extent() {
    // Large numbers are thresholds more often than small ones, which the usual sizes meet anyway.
    std::int64_t hint = any_of(subject_.hints);
    if (random_.below(2)) hint = std::max(hint, any_of(subject_.hints));
    if (hint > 8192 && random_.below(4)) hint = any_of(subject_.hints);
    switch (random_.below(10)) {
      case 0:
        return hint - 1;
      case 1:
        return hint + 1;
      case 2:
        return 2 * hint;
      case 3:
        return hint + 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(hint)));
      case 4:
      case 5:
        return hint * static_cast<std::int64_t>(3 + random_.below(14)) + (random_.below(2) ? 1 : 0);
      case 6:
        return hint * any_of(subject_.hints) + (random_.below(2) ? 1 : 0);
      default:
        return hint;
    }
  }

  std::optional<Instance> hinted() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      Instance instance = blank();
      Dims& dims = instance.dims;
      if (dims.empty()) return std::nullopt;
      const std::int64_t extent = befriended(hinted_extent());
      if (dims.size() > 1 && random_.below(4) == 0) {
        const bool equal = random_.below(2);
        for (std::int64_t& n : dims) n = equal ? extent : befriended(hinted_extent());
        for (std::size_t d = 0; d < dims.size(); ++d)
          if (!inner_[d]) dims[d] = std::min<std::int64_t>(dims[d], 256);
        if (in_domain(instance) && fits(instance, kSeldomCase)) return instance;
        continue;
      }
      for (std::int64_t& n : dims) n = any_of({1, 2, 3});
      const std::size_t d = long_dim(instance, 2);
      dims[d] = inner_[d] ? extent : std::min(extent, kTallest);
      if (in_domain(instance) && fits(instance, extent > 8192 ? kLongestCase : kSeldomCase)) return instance;
    }
    return std::nullopt;
  }

  std::optional<Instance> stretched() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      Instance instance = blank();
      if (instance.dims.empty()) return std::nullopt;
      for (std::int64_t& n : instance.dims) n = any_of({1, 2});
      const std::int64_t length =
          random_.below(2) ? any_of(kStretched) : 1025 + static_cast<std::int64_t>(random_.below(11265));
      const std::size_t d = long_dim(instance, 3);
      instance.dims[d] = befriended(inner_[d] ? length : std::min(length, kTallest));
      if (in_domain(instance) && fits(instance, kSeldomCase)) return instance;
    }
    return std::nullopt;
  }

  std::optional<Instance> all_large() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      Instance instance = blank();
      const bool equal = random_.below(2);
      const std::int64_t shared = any_of(kTiles);
      for (std::int64_t& n : instance.dims) n = befriended(equal ? shared : any_of(kTiles));
      if (in_domain(instance) && fits(instance, kSeldomCase)) return instance;
    }
    return std::nullopt;
  }

  Instance blank() {
    const Signature& signature = subject_.contract.signature();
    const auto& all = subject_.dtypes;
    Instance instance;
    std::size_t first = draw_.dtypes == Dtypes::others && all.size() > 1 ? 1 : 0;
    std::size_t last = draw_.dtypes == Dtypes::primary ? 1 : all.size();
    instance.dtype = all[first + random_.below(last - first)];
    // Every second case of `all` has the primary dtype, which matters most.
    if (draw_.dtypes == Dtypes::all && random_.below(2)) instance.dtype = all.front();
    instance.dims.resize(signature.dims.size(), 1);
    for (std::size_t i = 0; i < signature.attributes.size(); ++i) {
      // One that the kernel is not given has its default; one without a default is always given.
      const bool passed = i < subject_.passed_attributes.size() && subject_.passed_attributes[i];
      const bool stated = !signature.attributes[i].fallback;
      const bool other = stated ? random_.below(8) == 0 : passed && random_.below(4) == 0;
      const double value =
          other ? draw_attribute(subject_, i, random_) : ordinary_attribute(subject_, i, random_);
      instance.attributes.push_back(value);
    }
    return instance;
  }

  std::int64_t extent(std::size_t d, Sizes sizes, std::size_t longest) {
    if (!named_.empty() && sizes != Sizes::friendly && random_.below(4) == 0) return any_of(named_);
    switch (sizes) {
      case Sizes::friendly:
        return any_of(inner_[d] ? kInner : kOuter);
      case Sizes::boundary:
        return random_.below(32) ? any_of(kBoundary) : 0;
      case Sizes::any:
        if (random_.below(2)) return any_of(inner_[d] ? kInner : kOuter);
        return std::max<std::int64_t>(any_of(kBoundary), 1);
      case Sizes::long_row:
        return any_of(d == longest ? kLong : kShort);
    }
    return 1;
  }

  // Draws every dim, then draws smaller ones again until the tensors fit.
  void fill(Instance& instance, Sizes sizes, std::int64_t limit) {
    Dims& dims = instance.dims;
    std::vector<std::size_t> inner;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (inner_[d]) inner.push_back(d);
    if (draw_.many_steps) inner = steps(instance);
    const std::size_t longest = inner.empty() ? 0 : any_of(inner);
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = extent(d, sizes, longest);
    for (int round = 0; round < 64; ++round) {
      if (fits(instance, limit)) return;
      const std::size_t d = random_.below(dims.size());
      const std::int64_t now = dims[d];
      for (int redraw = 0; redraw < 4 && dims[d] >= now; ++redraw) dims[d] = extent(d, sizes, longest);
      if (dims[d] > now) dims[d] = now;
    }
  }

  bool fits(const Instance& instance, std::int64_t limit) const {
    if (!admits(subject_.contract, instance)) return true;  // in_domain says no later
    const auto shapes = shapes_of(subject_.contract, instance);
    return !shapes || elements(*shapes) <= limit;
  }

  bool in_domain(const Instance& instance) const {
    return admits(subject_.contract, instance) && subject_.where.holds(instance) &&
           shapes_of(subject_.contract, instance);
  }

  // A domain with a modulus (cols % 16 == 5) is reached by adding multiples of the numbers that it names.
  Instance strided(const Instance& found, Sizes sizes, std::int64_t limit) {
    Instance instance = found;
    if (named_.empty() || sizes == Sizes::friendly) return instance;
    for (std::int64_t& n : instance.dims) {
      const std::int64_t before = n;
      for (int attempt = 0; attempt < 4 && n == before && random_.below(2); ++attempt) {
        n += any_of(named_) * static_cast<std::int64_t>(1 + random_.below(16));
        if (!in_domain(instance) || !fits(instance, limit)) n = before;
      }
    }
    return instance;
  }

  // Last resort for narrow domains: the extents that their conditions name, and small ones.
  std::optional<Instance> search(std::int64_t limit) {
    for (int attempt = 0; attempt < 2048; ++attempt) {
      Instance instance = blank();
      for (std::int64_t& n : instance.dims) {
        const bool by_name = !named_.empty() && random_.below(2);
        n = by_name ? any_of(named_) : 1 + static_cast<std::int64_t>(random_.below(attempt % 2 ? 32 : 1024));
      }
      if (in_domain(instance) && fits(instance, limit * 32)) return strided(instance, Sizes::any, limit);
    }
    return std::nullopt;
  }

  const Subject& subject_;
  const Draw& draw_;
  CounterRandom& random_;
  std::vector<bool> inner_;
  Extents named_;
};

}  // namespace

std::optional<Instance> draw_instance(const Subject& subject, const Draw& draw, bool huge,
                                      CounterRandom& random) {
  InstanceDrawer drawer(subject, draw, random);
  if (huge)
    if (auto instance = drawer.draw_huge()) return instance;
  if (draw.sizes == Sizes::boundary && random.below(100) == 0)
    if (auto instance = drawer.draw_tall()) return instance;
  return drawer.draw();
}

}  // namespace assay
