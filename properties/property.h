#pragma once

// A contract as a test of one's own kernel, for GoogleTest and for RapidCheck.
//
//   TEST(Softmax, KeepsItsContract) {
//     const auto kept = assay::keeps_contract("softmax.cu", "softmax", {.where = "cols <= 4096"});
//     EXPECT_TRUE(kept) << kept;
//   }
//
// In a project of one's own: find_package(assay) and target_link_libraries(... assay::properties).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "properties/check.h"
#include "properties/target.h"

namespace assay {

// As the flags of `assay check`.
struct KeepsOptions {
  std::string bind = {};
  std::string where = {};
  std::string allow = {};
  std::string dtype = {};
  std::vector<std::string> gates = {};  // ids; empty: all
  std::int64_t cases = 2000;
  std::uint64_t seed = 1;
  bool sandbox = true;
  std::filesystem::path out = ".assay/cases";  // where cases of findings go
};

// True where every gate was judged or does not apply and none has a finding; else `text` says why, with the
// shrunk case and the saved file of each finding.
struct Kept {
  bool kept = false;
  std::string text;
  explicit operator bool() const { return kept; }
};
std::ostream& operator<<(std::ostream& out, const Kept& kept);

Kept keeps_contract(const std::filesystem::path& kernel, const std::string& contract,
                    const KeepsOptions& options = {});

// One gate as a RapidCheck property: rc::check("softmax keeps CMP-01", assay::property(target, gate)).
// Cases that the gate cannot judge are discarded. `target` and `gate` must outlive it.
std::function<void()> property(const Target& target, const Gate& gate);

}  // namespace assay
