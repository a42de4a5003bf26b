// The way from a source to a GPU plug-in, with stand-ins for nvcc, the device probe and the support library:
// no toolkit and no GPU is needed.

#include "kernels/cuda/build.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class CudaBuild : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay-cuda-test-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "bin");
    write("softmax.cu", "extern \"C\" void softmax(const float* x, float* y, int rows, int cols) {}\n",
          false);
    write("libassay-cuda-plugin.a", "support", false);
    nvcc("while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo plug-in > \"$2\"; shift; done");
    setenv("CUDA_HOME", folder_.c_str(), 1);
    setenv("ASSAY_LIBEXEC", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CUDA_HOME");
    unsetenv("ASSAY_LIBEXEC");
    fs::remove_all(folder_);
  }

  void write(const fs::path& name, const std::string& text, bool program) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    if (program) fs::permissions(path, fs::perms::owner_all);
  }
  // What the stand-in does; it counts its runs and notes its arguments.
  void nvcc(const std::string& commands) {
    write("bin/nvcc",
          "#!/bin/sh\necho run >> " + (folder_ / "runs").string() + "\necho \"$@\" > " +
              (folder_ / "arguments").string() + "\n" + commands + "\n",
          true);
  }
  std::string text_of(const char* name) { return read_file(folder_ / name).value_or(""); }

  Expected<Kernel> build(const std::string& arch) {
    auto source = read_source(folder_ / "softmax.cu");
    if (!source) return tl::unexpected(source.error());
    Signature signature;
    signature.name = "softmax";
    signature.dims = {"rows", "cols"};
    TensorSignature tensor;
    tensor.name = "x";
    signature.inputs = {tensor};
    tensor.name = "y";
    signature.outputs = {tensor};
    auto bindings = assay::bind(*source, signature, "softmax(x, y, rows, cols)", std::nullopt);
    if (!bindings) return tl::unexpected(bindings.error());
    BuildOptions options;
    options.cache = folder_ / "cache";
    options.sandbox = false;
    options.executor = Executor::cuda;
    options.gpu_arch = arch;
    return assay::build(*source, signature, *bindings, options);
  }

  fs::path folder_;
};

TEST_F(CudaBuild, CompilesOnceForTheArchitectureThatIsNamed) {
  const auto kernel = build("sm_80");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_TRUE(fs::exists(kernel->fast));
  EXPECT_EQ(kernel->fast, kernel->checked);
  EXPECT_NE(text_of("arguments").find("-arch=sm_80"), std::string::npos);
  ASSERT_TRUE(build("sm_80"));
  EXPECT_EQ(text_of("runs"), "run\n");
}

TEST_F(CudaBuild, AnotherArchitectureOrSourceIsAnotherPlugIn) {
  const auto first = build("sm_80"), second = build("sm_90a");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->fast, second->fast);
  write("softmax.cu", "extern \"C\" void softmax(const float* x, float* y, int rows, int cols) { }\n", false);
  const auto third = build("sm_80");
  ASSERT_TRUE(third);
  EXPECT_NE(first->fast, third->fast);
}

TEST_F(CudaBuild, AnEditedFileBesideTheSourceIsAnotherPlugIn) {
  write("softmax.cu",
        "#include \"row.h\"\nextern \"C\" void softmax(const float* x, float* y, int rows, int cols) {}\n",
        false);
  write("row.h", "// one\n", false);
  const auto first = build("sm_80");
  write("row.h", "// two\n", false);
  const auto second = build("sm_80");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->fast, second->fast);
}

TEST_F(CudaBuild, ComplaintsOfNvccNameTheUsersFileAndLine) {
  nvcc("echo \"" + fs::canonical(folder_ / "softmax.cu").string() +
       "(7): error: identifier \\\"foo\\\" is undefined\"; echo; "
       "echo '1 error detected in the compilation of \"/cache/adapter.cu\".'; exit 1");
  const auto kernel = build("sm_90");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::usage);
  EXPECT_NE(kernel.error().message.find("softmax.cu(7): error: identifier \"foo\" is undefined"),
            std::string::npos)
      << kernel.error().message;
  EXPECT_EQ(kernel.error().message.find("adapter"), std::string::npos) << kernel.error().message;
}

TEST_F(CudaBuild, AnArchitectureThatIsNoneIsRefused) {
  for (const char* arch : {"hopper", "sm_", "sm_9", "sm_90x", "compute_90"}) {
    const auto kernel = build(arch);
    ASSERT_FALSE(kernel) << arch;
    EXPECT_NE(kernel.error().message.find("sm_90a"), std::string::npos) << kernel.error().message;
  }
}

TEST_F(CudaBuild, WithoutAGpuTheLineOfTheProbeSaysWhatIsMissing) {
  write("assay-cuda-devices", "#!/bin/sh\necho 'no CUDA driver: libcuda.so.1 is not found'; exit 1\n", true);
  const auto kernel = build("");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::infrastructure);
  EXPECT_NE(kernel.error().message.find("libcuda.so.1 is not found"), std::string::npos);
  EXPECT_EQ(kernel.error().message.find('\n'), std::string::npos) << "one line";
}

TEST(CudaDevices, AreReadFromTheProbesLines) {
  const auto devices = cuda::parse_devices("NVIDIA H200\tsm_90\nNVIDIA A100-SXM4-80GB\tsm_80\n");
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[1].name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ((*devices)[0].arch, "sm_90");
  EXPECT_FALSE(cuda::parse_devices("nonsense\n"));
}

}  // namespace
}  // namespace assay
