#pragma once

// Findings of kernels that are C++ functions (tests/gates/fake.h), and folders to file them in.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz/finding.h"
#include "tests/gates/fake.h"

namespace assay::fuzz {

// A fresh empty folder, removed in the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-fuzz-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline RunnerFactory factory(fake::MakeKernel kernel) {
  return
      [kernel]() -> Expected<std::unique_ptr<Runner>> { return std::make_unique<fake::FakeRunner>(kernel); };
}

// A target whose kernel is whatever a runner factory says.
inline Target target(std::string_view contract, std::string hash = "first") {
  TargetOptions asked;
  asked.kernel = "kernels/softmax.cu";
  asked.contract = contract;
  Target result{asked, fake::subject(contract), {}};
  result.kernel.content_hash = std::move(hash);
  return result;
}

inline Case softmax_case(std::int64_t rows, std::int64_t cols) {
  Case c;
  c.contract = "softmax";
  c.instance.dims = {rows, cols};
  c.inputs = {InputRecipe{Fill::normal, 0, Order::drawn, 0}};
  c.output_offsets = {0};
  c.seed = 7;
  return c;
}

// The softmax, times 1.001 where the row's length is 3 mod 8.
inline void wrong_at_three(const Launch& launch, RunResult& result) {
  fake::softmax_times(launch.instance.dims[1] % 8 == 3 ? 1.001 : 1)(launch, result);
}

}  // namespace assay::fuzz
