#pragma once

// The definitions of one form as flat code over registers, for every instance.
//
// Each input, definition and shared subexpression is a table: a function of integer indices whose elements
// are evaluated once. Code is a list of instructions; a reduction's body follows its instruction and runs
// once a term, with the indices of the reduction in `variables`. A subexpression that does not depend on
// every index in scope becomes a table over those it depends on, and equal subexpressions are one table.

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/program.h"

namespace assay::lang {

enum class Op : std::uint8_t {
  // values
  constant,  // ref: constants[operand]
  integer,   // an integer expression as a number
  ratio,     // the exact quotient of two integer expressions
  element,   // ref: of access `operand`; with `jump`, continue there if it is in range
  alias,     // ref: another operand
  copy,
  negate,
  divide,
  power,  // exponent: `jump`
  call,   // detail: Function
  sum,    // of `count` registers from `operand`; detail: Sum; `jump`: which terms are sums (a bit each)
  product,
  extreme,  // detail: Extreme
  round,    // detail: DType, or kInstanceDType
  allow,    // allowances[jump], guard: truth `other` or -1
  select,   // ref: truth `count`, refs yes `operand` and no `other`, own register `second`, compared[jump]
  reduce,   // detail: Reduction; reductions[operand]; the body ends at `jump`; term: `other`; sums: `count`
  // conditions, in truth registers
  fixed,     // a static condition
  compare,   // detail: Comparison
  classify,  // detail: Classify
  both,
  either,
  inverse,
  quantify,  // any or all, detail: Reduction; like reduce, the body's condition: truth `other`
  // control
  skip_unless_possible,  // to `jump` if truth `operand` is surely false
  skip_if_certain,       // to `jump` if truth `operand` is surely true
  set,                   // variables[target] = variables[operand], or `jump` where operand < 0
};

constexpr std::uint8_t kInstanceDType = 0xff;

// An operand is a register (>= 0) or a reference to an element elsewhere (~number).
using Operand = std::int32_t;

struct Instruction {
  Op op = Op::constant;
  std::uint8_t detail = 0;
  std::int32_t target = 0;  // register, reference or truth register
  Operand operand = 0;
  Operand other = 0;
  std::int32_t count = 0;
  std::int32_t jump = -1;
  ExprId expr = kNone;
  ExprId second = kNone;
};

// One index of an access: an expression, or a variable alone.
struct Index {
  ExprId expr = kNone;
  std::int32_t variable = -1;
};

struct Access {
  std::int32_t table = 0;
  std::vector<Index> indices;
  Position at;
};

// A number that is known when the instance is.
struct Literal {
  Constant constant;
  std::int32_t attribute = -1;      // its value instead, or `constant` where that is the default
  std::vector<std::uint8_t> round;  // dtypes that it may be stored in
};

struct Code {
  std::vector<Instruction> instructions;
  Operand result = 0;
};

struct Table {
  enum class Kind : std::uint8_t { input, definition, shared } kind = Kind::input;
  std::int32_t index = -1;  // of the input or definition
  std::size_t rank = 0;
  std::vector<std::int32_t> variables;  // of a shared one, by index

  struct Case {
    std::vector<Equation::Pattern> patterns;
    Code code;
  };
  std::vector<Case> cases;  // base cases first

  // Of a sum or product over a range that one index bounds and no term depends on: the place of that index,
  // and whether it is the range's lower end only.
  std::int32_t scan = -1;
  bool falls = false;

  std::int32_t component = -1;  // tables that depend on each other share it
  bool recursive = false;
};

struct Plan {
  std::string form;           // empty: the contract's own definitions
  std::vector<Table> tables;  // inputs, definitions, shared
  std::vector<Access> accesses;
  std::vector<Literal> literals;
  std::vector<ExprId> reductions;                            // binders and guard
  std::vector<std::vector<Operand>> compared;                // of select, by its `jump`
  std::vector<std::pair<std::int32_t, std::size_t>> owners;  // of variables: table and place, or -1
  std::int32_t registers = 0;                                // the most that any code needs
  std::int32_t references = 0;
  std::int32_t truths = 0;
};

Plan lower(const Program& program, int form);  // -1: the contract's own definitions

}  // namespace assay::lang
