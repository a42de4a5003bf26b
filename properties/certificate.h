#pragma once

// What a pass is worth: which wrong kernels the cases of a check would have refused.
//
// The cases that the kernel passed are drawn again, and each imposter of the contract (oracle/imposters.h)
// answers them in the kernel's place, gate by gate, until one refuses it.
//
// Laws: a case counts against imposters only where the contract's own definitions, evaluated in the same way,
// pass it; the certificate depends on the subject, the seed and the numbers of cases alone, as long as its
// time suffices.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/check.h"

namespace assay {

enum class Fate : std::uint8_t {
  rejected,
  survived,
  equal,    // the contract and the imposter agree in high precision on every case compared
  absent,   // no case has the fault: an accumulator that is no narrower, say
  untried,  // time was over
};
std::string_view name(Fate fate);

struct Tried {
  std::string fault;
  Fate fate = Fate::absent;
  const Gate* gate = nullptr;  // that rejected it
  std::int64_t cases = 0;      // that it answered
  std::string on;              // the case that rejected it
};

struct Certificate {
  std::vector<Tried> imposters;
  std::int64_t cases = 0;  // passed by the kernel, in the gates that judge outputs
  double seconds = 0;

  std::int64_t count(Fate fate) const;
};

struct CertificateOptions {
  std::int64_t cases = 300;                 // at most, for each imposter
  std::chrono::milliseconds time{60'000};   // for all of them
  int jobs = 0;                             // threads; 0: one a core
  const std::atomic<bool>* stop = nullptr;  // leave the rest untried
};

// Of the gates of `report` that passed.
Certificate certify(const Subject& subject, const CheckReport& report,
                    const CertificateOptions& options = {});

}  // namespace assay
