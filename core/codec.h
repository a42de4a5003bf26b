#pragma once

// Cases as bytes, for a fuzzer.
//
// Laws: decode is total (every byte string is a valid Case of the signature); decode(encode(c)) == c for
// every case within the limits: extents below 2^40, |scale| <= 60, at most 64 plants, finite attributes.
// Whether a decoded case is in the contract's domain is another question: see oracle/contract.h, admits.

#include <cstddef>
#include <span>
#include <vector>

#include "core/case.h"

namespace assay {

std::vector<std::byte> encode(const Case& c);
Case decode(std::span<const std::byte> bytes, const Signature& signature);

}  // namespace assay
