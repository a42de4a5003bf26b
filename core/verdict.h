#pragma once

// What came of one case under one gate, and the evidence for it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class Outcome : std::uint8_t {
  pass,
  violated,        // tolerance-free
  beyond_budget,   // a value outside what the declared arithmetic may lose
  crashed,         // the kernel's process died or a sanitizer stopped it
  hung,            // beyond its deadline
  flaky,           // a finding that a fresh worker does not reproduce 3 times of 5
  not_applicable,  // with the reason
  undecidable,     // the oracle or the budget cannot tell; never counted as a pass
};
std::string_view name(Outcome outcome);
bool is_finding(Outcome outcome);  // violated, beyond_budget, crashed, hung, flaky

struct Evidence {
  std::string kind;    // one of a few words, part of the signature: "value", "nan", "unwritten", "race", ...
  std::string output;  // the output's name, or the input's for "input changed"; may be empty
  std::vector<std::int64_t> index;  // of the element
  std::optional<double> got;
  std::optional<double> truth;
  std::optional<double> low;  // limits of what is accepted
  std::optional<double> high;
  std::optional<double> excess;  // error over budget
  std::int64_t bad_elements = 0;
  std::string detail;    // a sentence, or the tool's report
  std::string location;  // FILE:LINE of the kernel where known
};
std::string describe(const Evidence& evidence);  // one or two lines for people

// Whether an element still holds what all bytes of outputs hold before a call, 0xA5: it was not written. In
// 16 bits that may be a value by chance.
bool is_poison(double got);

struct Verdict {
  Outcome outcome = Outcome::pass;
  Evidence evidence;  // of a finding; for not_applicable and undecidable `detail` holds the reason

  static Verdict pass() { return {}; }
};

// Two findings with one signature are one finding: gate, kind of evidence, dtype, extents modulo a tile,
// special value. "CMP-03/value/f32/cols%4=3".
struct FindingSignature {
  std::string text;
  friend bool operator==(const FindingSignature&, const FindingSignature&) = default;
};

}  // namespace assay
