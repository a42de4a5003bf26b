#include "fuzz/engine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/libexec.h"
#include "properties/generate.h"

namespace assay::fuzz {

using nlohmann::json;

std::string to_json(const EngineOptions& o) {
  const TargetOptions& t = o.target;
  const json target = {{"kernel", t.kernel.string()},
                       {"contract", t.contract},
                       {"bind", t.bind},
                       {"where", t.where},
                       {"allow", t.allow},
                       {"dtype", t.dtype},
                       {"sandbox", t.sandbox},
                       {"cuda", t.executor == Executor::cuda},
                       {"gpu_arch", t.gpu_arch},
                       {"sanitizer", t.sanitizer}};
  return json{
      {"target", target}, {"corpus", o.corpus.string()}, {"inbox", o.inbox.string()}, {"seed", o.seed},
      {"runs", o.runs},   {"families", o.families.mask}, {"seeded", o.seeded},        {"raw", o.raw}}
      .dump(1);
}

// The campaign wrote it a moment ago; that it was changed since is the machine's fault.
Expected<EngineOptions> engine_options(std::string_view text, std::string_view file) {
  try {
    const json j = json::parse(text);
    const json& t = j.at("target");
    EngineOptions o;
    o.target.kernel = t.at("kernel").get<std::string>();
    o.target.contract = t.at("contract");
    o.target.bind = t.at("bind");
    o.target.where = t.at("where");
    o.target.allow = t.at("allow");
    o.target.dtype = t.at("dtype");
    o.target.sandbox = t.at("sandbox");
    o.target.executor = t.at("cuda").get<bool>() ? Executor::cuda : Executor::cpu;
    o.target.gpu_arch = t.at("gpu_arch");
    o.target.sanitizer = t.at("sanitizer");
    o.corpus = j.at("corpus").get<std::string>();
    o.inbox = j.at("inbox").get<std::string>();
    o.seed = j.at("seed");
    o.runs = j.at("runs");
    o.families.mask = j.at("families");
    o.seeded = j.at("seeded");
    o.raw = j.at("raw").get<std::vector<std::string>>();
    return o;
  } catch (const json::exception& error) {
    return infrastructure_error("{}: {}", file, error.what());
  }
}

Expected<Numbers> Numbers::create() {
  const int fd = memfd_create("assay-engine", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, sizeof(EngineNumbers)) != 0) {
    const int reason = errno;
    const Fd closes(fd);
    return infrastructure_error("no shared memory: {}", std::strerror(reason));
  }
  return open(fd);
}

Expected<Numbers> Numbers::open(int fd) {
  Numbers numbers;
  numbers.fd_ = Fd(fd);
  void* memory = mmap(nullptr, sizeof(EngineNumbers), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return infrastructure_error("no shared memory: {}", std::strerror(errno));
  numbers.numbers_ = static_cast<EngineNumbers*>(memory);
  return numbers;
}

Numbers::Numbers(Numbers&& other) noexcept
    : fd_(std::move(other.fd_)), numbers_(std::exchange(other.numbers_, nullptr)) {}

Numbers& Numbers::operator=(Numbers&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(numbers_, other.numbers_);
  return *this;
}

Numbers::~Numbers() {
  if (numbers_ != nullptr) munmap(numbers_, sizeof(EngineNumbers));
}

std::vector<Case> seeds(const Menu& menu, std::uint64_t seed) {
  constexpr std::uint64_t kOfEachGate = 8;
  std::vector<Case> result;
  // In turns: what differs most comes first.
  for (std::uint64_t number = 0; number < kOfEachGate; ++number)
    for (const Menu::Entry& entry : menu.gates()) {
      Case c = draw_case(menu.subject(), *entry.gate, seed, number);
      if (menu.affordable(c)) result.push_back(std::move(c));
    }
  return result;
}

Expected<std::filesystem::path> engine_program() {
  const auto worker = worker_program(Executor::cpu, Build::fast);
  if (!worker) return tl::unexpected(worker.error());
  std::filesystem::path program = worker->parent_path() / "assay-fuzz-engine";
  if (access(program.c_str(), X_OK) != 0)
    return infrastructure_error("{}: not there; this Assay was built without clang's libFuzzer",
                                program.string());
  return program;
}

}  // namespace assay::fuzz
