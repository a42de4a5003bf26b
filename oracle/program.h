#pragma once

// A contract as a checked syntax tree.
//
// Expressions live in one array and refer to each other by number, so that a Program is a plain value: it can
// be copied and altered. The parser fills what the text says; the checker resolves names, gives types and
// index ranges, and finds the order of recursions; `plan` lowers it to code.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/signature.h"
#include "oracle/algebra.h"

namespace assay::lang {

struct Plan;

struct Position {
  int line = 0;  // from 1
  int column = 0;
};

// What is wrong with a contract, and where.
struct Problem {
  Position at;
  std::string message;
};

using ExprId = std::int32_t;
constexpr ExprId kNone = -1;

// What a name refers to, and its place in the list of its kind.
struct Symbol {
  enum class Kind : std::uint8_t {
    none,
    dimension,
    attribute,
    input,
    definition,
    variable,
    pi,
    infinity,
    nan
  };
  Kind kind = Kind::none;
  std::int32_t index = -1;
};

enum class Type : std::uint8_t {
  integer,  // dims, indices, index inputs, and + - * // % of them
  real,     // evaluated in an algebra
  boolean,
};

enum class Reduction : std::uint8_t {
  sum,
  prod,
  mean,
  max,
  min,
  fmax,
  fmin,
  argmax,
  argmin,
  count,
  any,
  all
};

// `for NAME`, `for NAME < upper`, `for NAME <= upper`, `for NAME in lower .. upper`.
struct Binder {
  std::string name;
  Position at;
  ExprId lower = kNone;  // kNone: 0
  ExprId upper = kNone;  // exclusive unless `closed`; inferred by the checker where the text gives none
  bool closed = false;
  bool inferred = false;
  std::int32_t variable = -1;  // number in Program::variables
};

struct Expr {
  enum class Kind : std::uint8_t {
    number,     // text, constant
    name,       // text: a dim, attribute, variable, or tensor of rank 0
    read,       // text[children], `otherwise` where an index is out of range
    call,       // text(children)
    reduction,  // reduction(children[0] for binders if guard)
    negate,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    compare,
    both,
    either,
    negation,     // not
    conditional,  // children[0] if children[1] else children[2]
  };
  Kind kind = Kind::number;
  Position at;
  std::string text;
  std::vector<ExprId> children;
  ExprId otherwise = kNone;
  std::vector<Binder> binders;
  ExprId guard = kNone;
  Comparison comparison = Comparison::less;
  Reduction reduction = Reduction::sum;
  Constant constant;
  bool integral = false;  // of a number: written without point and exponent

  // By the checker.
  Symbol symbol;
  Type type = Type::real;
  bool is_static = false;  // depends on no value of a float tensor
};

// A bound index: of an equation's left side or of a reduction.
struct Variable {
  std::string name;
  Position at;
  ExprId lower = kNone;  // kNone: 0
  ExprId upper = kNone;  // kNone: known from where it is read only
  bool closed = false;
};

struct Declaration {
  std::string name;
  Position at;
  std::vector<ExprId> shape;
  ElementType type;
  ExprId bound = kNone;   // of index(bound) and offsets(bound)
  ExprId ignore = kNone;  // of `or ignore`
  bool is_offsets = false;
  ExprId low = kNone;  // of `in [low, high]`
  ExprId high = kNone;
  ExprId ball = kNone;  // of `in ball(radius)`
  std::string like;     // of `like NAME`
};

struct AttributeDeclaration {
  std::string name;
  Position at;
  ExprId fallback = kNone;
  bool integral = false;
  bool is_switch = false;  // its default is true or false
};

// NAME[patterns] = body. A pattern is a variable or, in a base case, a constant.
struct Equation {
  struct Pattern {
    std::string name;  // empty: a constant
    Position at;
    std::int64_t constant = 0;
    std::int32_t variable = -1;
  };
  std::string name;
  Position at;
  std::vector<Pattern> patterns;
  ExprId body = kNone;
  std::int32_t definition = -1;
};

// round NAMES to TYPE: an honest kernel may store them so.
struct Rounding {
  std::string name;
  Position at;
  std::optional<DType> dtype;  // none: `dtype`, that of the instance
  bool cpu = false;            // `profile cpu`: only PyTorch's CPU needs it
  Symbol symbol;
};

struct Allowance {
  Classes classes;
  std::string name;
  Position at;
  std::vector<Equation::Pattern> patterns;
  ExprId guard = kNone;
  bool cpu = false;
  std::int32_t definition = -1;
};

struct Accuracy {
  Function function = Function::exp;
  double ulps = 0;
  Position at;
  bool cpu = false;
};

struct Subnormals {
  bool may_flush = false;
  std::vector<DType> dtypes;  // empty: all
  Position at;
  bool cpu = false;
};

struct Form {
  std::string name;
  Position at;
  bool cpu = false;
  std::vector<Equation> equations;
  std::vector<Rounding> roundings;
};

struct Example {
  std::string name;
  Position at;
  std::vector<std::pair<std::string, ExprId>> values;  // of dims and attributes
};

// A name that equations define; those of one name are its cases.
struct Definition {
  std::string name;
  std::size_t rank = 0;
  std::int32_t output = -1;   // by Program::outputs; -1: an intermediate
  std::int32_t integer = -1;  // its one equation, by Program::equations, where that is of integers only
};

struct Program {
  std::string name;
  Position at;
  std::string summary;
  std::string source;  // its text
  std::string file;

  std::vector<Expr> exprs;
  std::vector<Variable> variables;

  std::vector<std::string> dims;
  std::vector<Position> dim_positions;
  std::vector<AttributeDeclaration> attributes;
  std::vector<Declaration> inputs;
  std::vector<Declaration> outputs;
  std::vector<ExprId> where;
  std::vector<Definition> definitions;
  std::vector<Equation> equations;
  std::vector<Form> forms;

  bool states_accumulator = false;
  std::optional<DType> accumulator;  // none though stated: `dtype`
  ExprId depth = kNone;
  Position accumulate_at;
  std::vector<Rounding> roundings;
  std::vector<Allowance> allowances;
  std::vector<Accuracy> accuracies;
  std::vector<Subnormals> subnormals;
  std::vector<std::string> stops;
  std::vector<DType> dtypes;
  std::vector<std::string> layouts;
  std::vector<Example> examples;
  std::int64_t alignment = 16;
  bool states_alignment = false;
  bool tensor_cores = false;
  bool allows_nondeterminism = false;
  bool allows_in_place = false;
  bool allows_ties = false;
  std::string adjoint_of;
  Position adjoint_at;
  bool is_derived = false;       // `contract X = adjoint of Y`: nothing else is stated
  std::vector<std::string> wrt;  // of a derived one; empty: every float input

  Signature signature;                             // by the checker
  std::vector<std::shared_ptr<const Plan>> plans;  // of the definitions, then of each form
  std::shared_ptr<const Program> forward;          // that `adjoint_of` names, by parse_contracts

  const Expr& operator[](ExprId id) const { return exprs[static_cast<std::size_t>(id)]; }
  Expr& operator[](ExprId id) { return exprs[static_cast<std::size_t>(id)]; }
};

}  // namespace assay::lang
