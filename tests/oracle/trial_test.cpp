#include "oracle/trial.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

TEST(Trial, TheLibraryReadsInRange) {
  for (const std::string& name : library_contracts()) {
    const auto tried = try_out(*load_contract(name));
    EXPECT_TRUE(tried) << tried.error().message;
  }
}

TEST(Trial, NamesAReadOutOfRange) {
  const auto contracts = parse_contracts(
      "contract shift(n)\n  input  x[n] : float\n  output y[n] : like x\n  y[i] = x[i] + x[i+1]\n",
      "a.contract");
  ASSERT_TRUE(contracts) << contracts.error().message;
  const auto tried = try_out(contracts->front());
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().message,
            "a.contract:4:17: index [1] is out of range; guard the read with 'if', or write [... else VALUE] "
            "(at n=1)");
}

TEST(Trial, AGuardedReadIsInRange) {
  const auto contracts = parse_contracts(
      "contract shift(n)\n  input  x[n] : float\n  output y[n] : like x\n  y[i] = x[i] + x[i+1 else 0]\n",
      "a.contract");
  ASSERT_TRUE(contracts) << contracts.error().message;
  EXPECT_TRUE(try_out(contracts->front()));
}

TEST(Trial, AUsersFileIsTriedWhenItIsLoaded) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("assay_trial_" + std::to_string(::getpid()) + ".contract");
  ASSERT_TRUE(write_file(path,
                         "contract shift(n)\n  input  x[n] : float\n  output y[n] : like x\n"
                         "  y[i] = x[i+1]\n"));
  const auto loaded = load_contract(path.string());
  std::filesystem::remove(path);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find(":4:10: index [1] is out of range"), std::string::npos)
      << loaded.error().message;
  EXPECT_NE(load_contract(std::filesystem::temp_directory_path().string() + "/.contract")
                .error()
                .message.find("cannot read"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
