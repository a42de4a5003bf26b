// What a launch may ask for.

#include "limits.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "fiber.h"
#include "streams.h"

namespace assay::cpu {
namespace {

struct SharedOptIn {
  std::string name;
  const void* function;
  std::size_t bytes;
};
[[clang::no_destroy]] std::vector<SharedOptIn> opt_ins;

// "softmax<float>" and "ns::softmax" are the kernel softmax; so is "(const void*)softmax<float>, ...".
std::string base_name(std::string text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (const auto comma = text.find(", cudaFuncAttribute"); comma != std::string::npos) text.resize(comma);
  while (true) {  // leading casts
    while (!text.empty() && (text[0] == ' ' || text[0] == '&')) text.erase(0, 1);
    if (text.starts_with("(")) {
      const auto close = text.find(')');
      if (close == std::string::npos) break;
      if (close + 1 >= text.size()) {
        text = text.substr(1, close - 1);
        break;
      }
      text.erase(0, close + 1);
    } else if (const auto open = text.find(">("); text.find("_cast<") < open && open != std::string::npos) {
      text = text.substr(open + 2);
    } else {
      break;
    }
  }
  if (const auto angle = text.find('<'); angle != std::string::npos) text.resize(angle);
  while (!text.empty() && !is_word(text.back())) text.pop_back();
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

}  // namespace

// The dynamic shared memory that the kernel opted in to where that is enough for the launch, else 0.
static std::size_t opted_in(const Shape& shape) {
  const std::string name = base_name(shape.kernel);
  for (const SharedOptIn& opt_in : opt_ins)
    if (opt_in.bytes >= shape.shared_bytes && (opt_in.name == name || opt_in.function == shape.function))
      return opt_in.bytes;
  return 0;
}

cudaError_t set_shared_limit(const char* text, const void* function, int attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > kSharedLimit)
    return fail(cudaErrorInvalidValue, "cudaFuncSetAttribute");
  opt_ins.push_back({base_name(text), function, static_cast<std::size_t>(value)});
  return cudaSuccess;
}

cudaError_t check_limits(const Shape& shape) {
  const dim3 grid = shape.grid, block = shape.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kThreadsPerBlock || block.x > 1024 || block.y > 1024 || block.z > 64)
    return cudaErrorInvalidValue;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidValue;
  if (!known(static_cast<cudaStream_t>(shape.stream))) return cudaErrorInvalidResourceHandle;
  if (shape.shared_bytes > kSharedLimit) return cudaErrorInvalidValue;
  if (shape.cooperative) {
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    int fit = 0;
    occupancy(&fit, static_cast<int>(threads), shape.shared_bytes);
    if (blocks > static_cast<std::uint64_t>(fit) * kMultiprocessors)
      return cudaErrorCooperativeLaunchTooLarge;
    if (blocks * threads >= kMostStacks) return cudaErrorNotSupported;
  }
  if (shape.shared_bytes > kSharedDefault && !opted_in(shape)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

std::size_t static_shared_limit(const Shape& shape) {
  const std::size_t opt_in = opted_in(shape);
  return opt_in ? kSharedLimit - opt_in : kSharedDefault - shape.shared_bytes;
}

cudaError_t occupancy(int* blocks, int block_size, std::size_t shared) {
  if (block_size <= 0 || block_size > 1024)
    return fail(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocks");
  const int warps = (block_size + 31) / 32;
  int fit = 64 / warps;
  if (shared) fit = std::min<int>(fit, static_cast<int>((228 << 10) / (shared + 1024)));
  *blocks = std::min(fit, 32);
  return cudaSuccess;
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  attributes->maxThreadsPerBlock = kThreadsPerBlock;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = kSharedDefault;
  for (const SharedOptIn& opt_in : opt_ins)
    if (opt_in.function == function) attributes->maxDynamicSharedSizeBytes = static_cast<int>(opt_in.bytes);
  return cudaSuccess;
}

}  // namespace assay::cpu
