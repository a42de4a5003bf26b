// The certificate: which imposters the cases of a check reject, and that it says so where they do not.

#include "properties/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/imposters.h"

namespace assay {
namespace {

Subject subject_of(const std::string& contract) {
  const Contract c = *load_contract(contract);
  return {c, {}, {}, {DType::f32, DType::f16}};
}

// A check in which a kernel passed these gates in as many cases each.
CheckReport passed(const std::vector<std::string_view>& gates, std::int64_t cases) {
  CheckReport report;
  report.seed = 1;
  for (const std::string_view id : gates) {
    GateReport& gate = report.gates.emplace_back();
    gate.gate = find_gate(id);
    gate.outcome = Outcome::pass;
    gate.cases = gate.passed = cases;
  }
  return report;
}

const std::vector<std::string_view> kAll = {"CMP-01", "CMP-03", "ORD-01", "ORD-02", "ORD-03",
                                            "PRC-01", "PRC-02", "EXC-01", "EXC-02", "RES-01"};

std::vector<std::string> with(const Certificate& certificate, Fate fate) {
  std::vector<std::string> faults;
  for (const Tried& tried : certificate.imposters)
    if (tried.fate == fate) faults.push_back(tried.fault);
  return faults;
}

const Tried& find(const Certificate& certificate, const std::string& fault) {
  const auto found = std::find_if(certificate.imposters.begin(), certificate.imposters.end(),
                                  [&](const Tried& t) { return t.fault == fault; });
  EXPECT_NE(found, certificate.imposters.end()) << fault;
  return found == certificate.imposters.end() ? certificate.imposters.front() : *found;
}

TEST(Certificate, AllGatesRejectEveryImposterOfSimpleContracts) {
  for (const char* contract : {"softmax", "max", "sum", "matmul", "argmax", "gelu"}) {
    const Subject subject = subject_of(contract);
    const Certificate certificate = certify(subject, passed(kAll, 40));
    EXPECT_GT(certificate.imposters.size(), 9u) << contract;
    for (const std::string& survivor : with(certificate, Fate::survived))
      ADD_FAILURE() << contract << ": " << survivor;
    EXPECT_EQ(certificate.count(Fate::untried), 0);
    for (const Tried& tried : certificate.imposters)
      EXPECT_EQ(tried.on.empty(), tried.fate != Fate::rejected) << tried.fault;
  }
}

TEST(Certificate, NamesWhatTheCasesCannotTell) {
  const Subject subject = subject_of("max");
  const std::string fault = "max(x[r, j] for j) in line 6 is fmax, which drops NaN";
  const Certificate ordinary = certify(subject, passed({"CMP-01"}, 20));
  EXPECT_EQ(find(ordinary, fault).fate, Fate::equal) << "no NaN is drawn, so both are the same function";
  EXPECT_EQ(find(ordinary, "NaN becomes 0").fate, Fate::survived);
  EXPECT_EQ(find(ordinary, "the output is all zeros").fate, Fate::rejected);
  const Certificate special = certify(subject, passed({"CMP-01", "EXC-01"}, 20));
  EXPECT_EQ(find(special, fault).fate, Fate::rejected);
  EXPECT_EQ(find(special, fault).gate->id, "EXC-01");
  EXPECT_EQ(find(special, "NaN becomes 0").fate, Fate::rejected);
}

TEST(Certificate, GatesOfRunsAndGatesWithFindingsProveNothing) {
  const Subject subject = subject_of("max");
  CheckReport report = passed({"ORD-02", "RES-01", "CMP-01"}, 20);
  report.gates.back().outcome = Outcome::beyond_budget;
  const Certificate certificate = certify(subject, report);
  EXPECT_EQ(certificate.cases, 0);
  EXPECT_EQ(certificate.count(Fate::rejected) + certificate.count(Fate::survived), 0);
}

TEST(Certificate, StopsInTime) {
  const Subject subject = subject_of("softmax");
  CertificateOptions options;
  options.time = std::chrono::milliseconds(0);
  const Certificate certificate = certify(subject, passed(kAll, 40), options);
  EXPECT_EQ(certificate.count(Fate::untried), static_cast<std::int64_t>(certificate.imposters.size()));
}

TEST(Imposters, HaveTheSignatureAndTheDomainOfTheContract) {
  for (const std::string& name : library_contracts()) {
    const Contract contract = *load_contract(name);
    const std::vector<Imposter> list = imposters(contract);
    EXPECT_GT(list.size(), 6u) << name;
    for (const Imposter& imposter : list) {
      EXPECT_EQ(imposter.contract.signature().name, name);
      EXPECT_EQ(imposter.contract.signature().outputs.size(), contract.signature().outputs.size());
    }
  }
}

TEST(Imposters, EpsMayMove) {
  std::vector<std::string> faults;
  for (const Imposter& imposter : imposters(*load_contract("rms_norm"))) faults.push_back(imposter.fault);
  for (const char* fault :
       {"eps is added outside of rsqrt(ms[r] + eps) in line 8", "eps in line 8 is ten times as large",
        "mean(x[r, j]^2 for j) in line 7 is not divided"})
    EXPECT_NE(std::find(faults.begin(), faults.end(), fault), faults.end()) << fault;
}

}  // namespace
}  // namespace assay
