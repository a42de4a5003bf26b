#include "warp.h"

#include <bit>

namespace assay::cpu {
namespace {

// The lane that `lane` reads, by the definition of PTX shfl; its own where the segment ends.
int source_of(WarpKind kind, int lane, int argument, int width) {
  const int first = lane & ~(width - 1), last = first + width - 1;
  switch (kind) {
    case WarpKind::shuffle_index:
      return first | (argument & (width - 1));
    case WarpKind::shuffle_up: {
      const int from = lane - (argument & 31);
      return from < first ? lane : from;
    }
    case WarpKind::shuffle_down: {
      const int from = lane + (argument & 31);
      return from > last ? lane : from;
    }
    default: {
      const int from = lane ^ (argument & 31);
      return from > last ? lane : from;
    }
  }
}

std::uint64_t reduce(WarpKind kind, std::uint32_t lanes, const std::uint64_t* values) {
  std::uint32_t out = static_cast<std::uint32_t>(values[std::countr_zero(lanes)]);
  for (lanes &= lanes - 1; lanes; lanes &= lanes - 1) {
    const auto value = static_cast<std::uint32_t>(values[std::countr_zero(lanes)]);
    const auto a = static_cast<std::int32_t>(out), b = static_cast<std::int32_t>(value);
    switch (kind) {
      case WarpKind::add_signed:
      case WarpKind::add_unsigned:
        out += value;
        break;
      case WarpKind::min_signed:
        out = b < a ? value : out;
        break;
      case WarpKind::min_unsigned:
        out = value < out ? value : out;
        break;
      case WarpKind::max_signed:
        out = b > a ? value : out;
        break;
      case WarpKind::max_unsigned:
        out = value > out ? value : out;
        break;
      case WarpKind::bit_and:
        out &= value;
        break;
      case WarpKind::bit_or:
        out |= value;
        break;
      default:
        out ^= value;
        break;
    }
  }
  return out;
}

std::uint32_t nonzero(std::uint32_t lanes, const std::uint64_t* values) {
  std::uint32_t out = 0;
  for (std::uint32_t left = lanes; left; left &= left - 1)
    if (values[std::countr_zero(left)]) out |= left & -left;
  return out;
}

}  // namespace

int complete(const WarpGroup& group, std::uint64_t* results, std::uint64_t poison) {
  const std::uint32_t lanes = group.arrived;
  if (group.kind <= WarpKind::shuffle_xor) {
    int stray = -1;
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const int from = source_of(group.kind, lane, group.arguments[lane], group.widths[lane]);
      if (lanes >> from & 1) {
        results[lane] = group.values[from];
      } else {
        results[lane] = poison;
        if (stray < 0) stray = lane;
      }
    }
    return stray;
  }
  std::uint64_t same = 0;
  switch (group.kind) {
    case WarpKind::sync:
      return -1;
    case WarpKind::all:
      same = nonzero(lanes, group.values) == lanes;
      break;
    case WarpKind::any:
      same = nonzero(lanes, group.values) != 0;
      break;
    case WarpKind::ballot:
      same = nonzero(lanes, group.values);
      break;
    case WarpKind::match_all: {
      same = group.mask & lanes;
      for (std::uint32_t left = lanes; left; left &= left - 1)
        if (group.values[std::countr_zero(left)] != group.values[std::countr_zero(lanes)]) same = 0;
      break;
    }
    case WarpKind::match_any: {
      for (std::uint32_t left = lanes; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        std::uint32_t equal = 0;
        for (std::uint32_t other = lanes; other; other &= other - 1)
          if (group.values[std::countr_zero(other)] == group.values[lane]) equal |= other & -other;
        results[lane] = equal;
      }
      return -1;
    }
    default:
      same = reduce(group.kind, lanes, group.values);
      break;
  }
  for (std::uint32_t left = lanes; left; left &= left - 1) results[std::countr_zero(left)] = same;
  return -1;
}

const char* name_of(WarpKind kind) {
  switch (kind) {
    case WarpKind::shuffle_index:
      return "__shfl_sync";
    case WarpKind::shuffle_up:
      return "__shfl_up_sync";
    case WarpKind::shuffle_down:
      return "__shfl_down_sync";
    case WarpKind::shuffle_xor:
      return "__shfl_xor_sync";
    case WarpKind::sync:
      return "__syncwarp";
    case WarpKind::all:
      return "__all_sync";
    case WarpKind::any:
      return "__any_sync";
    case WarpKind::ballot:
      return "__ballot_sync";
    case WarpKind::match_any:
      return "__match_any_sync";
    case WarpKind::match_all:
      return "__match_all_sync";
    default:
      return "__reduce_*_sync";
  }
}

}  // namespace assay::cpu
