#pragma once

// A contract: what a kernel must compute, on which inputs, and what it may lose on the way.
//
// Contracts are text (docs/contracts.md); this is a parsed and checked one, immutable and cheap to copy.
// The library of oracle/contracts/ is compiled into the program; a path that ends in `.contract` is a
// user's own.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/signature.h"

namespace assay {

namespace lang {
struct Program;  // the checked syntax tree, oracle/program.h
}

// Clauses that a user relaxes on the command line (`--allow`); reports name them.
struct Allowances {
  bool tf32 = false;            // products may read their operands rounded to TF32
  bool fast_math = false;       // the intrinsics' errors, division by reciprocal, flushed subnormals
  bool nondeterminism = false;  // ORD-02 does not apply
  bool subnormals = false;      // subnormals may be flushed
  bool zero_sign = false;       // the sign of a zero is free
  bool ties = false;            // argmax and argmin may return any of the tied

  friend bool operator==(const Allowances&, const Allowances&) = default;
};
Expected<Allowances> parse_allowances(std::string_view comma_separated);
std::vector<std::string> names(const Allowances&);  // in the spelling of the command line

class Contract {
 public:
  explicit Contract(std::shared_ptr<const lang::Program> program);

  const Signature& signature() const;
  std::string_view summary() const;  // the string below the contract's first line
  std::string_view source() const;   // its text
  const lang::Program& program() const { return *program_; }

  // The dtypes that its tensors of type `float` may have, the most usual first.
  const std::vector<DType>& dtypes() const;

  // What gates ask before they draw.
  bool has_reduction() const;  // a sum, product or mean over elements: order matters
  bool has_sum() const;        // a plain `sum`, which the exact grid can decide
  bool allows_nondeterminism() const;
  bool is_argument_search() const;  // argmax or argmin: ties have an order
  std::size_t alignment() const;    // bytes that every tensor's address is a multiple of (default 16)
  std::optional<std::string> adjoint_of() const;  // the forward contract of a backward one
  std::optional<Contract> forward() const;        // that contract, where it was parsed with this one
  DType accumulator(DType dtype) const;           // the declared type of sums

 private:
  std::shared_ptr<const lang::Program> program_;
};

// All contracts of one text. Errors read "FILE:LINE:COLUMN: what is wrong; what would be right".
Expected<std::vector<Contract>> parse_contracts(std::string_view text, std::string_view file);

// A library contract by name (an unknown name lists the nearest), or the one contract of a .contract file
// (of several, the last: earlier ones are what it builds on).
Expected<Contract> load_contract(std::string_view name_or_path);

std::vector<std::string> library_contracts();  // sorted names

// The tensors of an instance, or why it is not in the contract's domain.
Expected<Shapes> shapes_of(const Contract& contract, const Instance& instance);

// Whether the instance is in the contract's domain: `where` holds and every extent is >= 0.
bool admits(const Contract& contract, const Instance& instance);

// A condition over dims and attributes that narrows a contract's domain, as `--where` states it:
// conditions of the contract language, comma-separated ("cols % 4 == 0, cols <= 4096").
class Where {
 public:
  Where() = default;  // true
  static Expected<Where> parse(const Contract& contract, std::string_view text);
  bool holds(const Instance& instance) const;
  std::string_view text() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace assay
