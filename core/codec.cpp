#include "core/codec.h"

#include <bit>
#include <cmath>

namespace assay {
namespace {

constexpr int kMaxPlants = 64;
constexpr int kMaxScale = 60;
constexpr int kExtentBits = 40;

class Writer {
 public:
  void byte(std::uint64_t value) { bytes_.push_back(static_cast<std::byte>(value & 0xff)); }
  void fixed(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) byte(value >> (8 * i));
  }
  // Seven bits a byte, the low ones first, the top bit set on all but the last: small extents stay small.
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(value | 0x80);
    byte(value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Past the end everything reads as zero: decoding is total.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t byte() { return next_ < bytes_.size() ? std::to_integer<std::uint64_t>(bytes_[next_++]) : 0; }
  std::uint64_t fixed(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= byte() << (8 * i);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const std::uint64_t b = byte();
      value |= (b & 0x7f) << shift;
      if (!(b & 0x80)) break;
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
};

void write(Writer& out, const Place& place) {
  out.byte(place.from_end);
  out.fixed(place.distance, 2);
}

Place read_place(Reader& in) {
  Place place;
  place.from_end = in.byte() & 1;
  place.distance = static_cast<std::uint16_t>(in.fixed(2));
  return place;
}

constexpr DType kFloatDtypes[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2};

}  // namespace

std::vector<std::byte> encode(const Case& c) {
  Writer out;
  out.byte(static_cast<std::uint64_t>(c.instance.dtype));
  out.fixed(c.seed, 8);
  for (std::int64_t extent : c.instance.dims) out.varint(static_cast<std::uint64_t>(extent));
  for (double value : c.instance.attributes) out.fixed(std::bit_cast<std::uint64_t>(value), 8);
  for (const InputRecipe& recipe : c.inputs) {
    out.byte(static_cast<std::uint64_t>(recipe.fill));
    out.byte(static_cast<std::uint64_t>(recipe.scale + kMaxScale));
    out.byte(static_cast<std::uint64_t>(recipe.order));
    out.byte(recipe.offset);
  }
  for (std::uint8_t offset : c.output_offsets) out.byte(offset);
  out.byte(c.plants.size());
  for (const Plant& plant : c.plants) {
    out.byte(plant.input);
    write(out, plant.row);
    write(out, plant.column);
    out.byte(static_cast<std::uint64_t>(plant.value));
  }
  return out.take();
}

Case decode(std::span<const std::byte> bytes, const Signature& signature) {
  Reader in(bytes);
  Case c;
  c.contract = signature.name;
  c.instance.dtype = kFloatDtypes[in.byte() % std::size(kFloatDtypes)];
  c.seed = in.fixed(8);
  for (std::size_t i = 0; i < signature.dims.size(); ++i)
    c.instance.dims.push_back(
        static_cast<std::int64_t>(in.varint() & ((std::uint64_t{1} << kExtentBits) - 1)));
  for (const Attribute& attribute : signature.attributes) {
    const double value = std::bit_cast<double>(in.fixed(8));
    c.instance.attributes.push_back(std::isfinite(value) ? value : attribute.fallback.value_or(0));
  }
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    InputRecipe recipe;
    recipe.fill = static_cast<Fill>(in.byte() % kFills);
    recipe.scale = static_cast<std::int8_t>(static_cast<int>(in.byte() % (2 * kMaxScale + 1)) - kMaxScale);
    recipe.order = static_cast<Order>(in.byte() % kOrders);
    recipe.offset = static_cast<std::uint8_t>(in.byte());
    c.inputs.push_back(recipe);
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i)
    c.output_offsets.push_back(static_cast<std::uint8_t>(in.byte()));
  const std::size_t plants = in.byte() % (kMaxPlants + 1);
  for (std::size_t i = 0; i < plants; ++i) {
    Plant plant;
    const std::uint64_t input = in.byte();
    plant.row = read_place(in);
    plant.column = read_place(in);
    plant.value = static_cast<Special>(in.byte() % kSpecials);
    if (signature.inputs.empty()) continue;
    plant.input = static_cast<std::uint8_t>(input % signature.inputs.size());
    c.plants.push_back(plant);
  }
  return c;
}

}  // namespace assay
