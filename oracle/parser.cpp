#include "oracle/parser.h"

#include <algorithm>

#include "core/text.h"
#include "oracle/parser_parts.h"
#include "oracle/words.h"

namespace assay::lang {

Expected<std::vector<Program>> Parser::contracts() {
  std::vector<Program> programs;
  skip_newlines();
  while (!at_end()) {
    const std::size_t start = now().offset;
    Program program = contract();
    if (error_) return tl::unexpected(*error_);
    program.file = std::string(file_);
    program.source = std::string(text_.substr(start, last_end_ - start));
    programs.push_back(std::move(program));
    skip_newlines();
  }
  if (programs.empty()) return usage_error("{}:1:1: no contract; begin with 'contract NAME(dims)'", file_);
  return programs;
}

Expected<std::vector<ExprId>> Parser::conditions(Program& program) {
  program_ = &program;
  std::vector<ExprId> list;
  skip_newlines();
  if (at_end()) return list;
  do list.push_back(expression());
  while (accept(","));
  skip_newlines();
  if (!at_end() && !error_) expected("',' or the end of the condition");
  if (error_) return tl::unexpected(*error_);
  return list;
}

Program Parser::contract() {
  Program program;
  program_ = &program;
  program.at = now().at;
  if (!accept("contract")) {
    expected("'contract NAME(dims)'");
    return program;
  }
  program.name = identifier("the contract's name");
  if (accept("=")) {
    derived();
    return program;
  }
  signature();
  end_statement();
  if (now().kind == Token::Kind::string) {
    program.summary = std::string(now().text);
    advance();
    end_statement();
  }
  form_ = nullptr;
  while (!at_end() && !is("contract") && !error_) statement();
  return program;
}

// contract NAME = adjoint of FORWARD [ "wrt" inputs ]
void Parser::derived() {
  const Position at = now().at;
  if (!accept("adjoint"))
    return expected("'adjoint of'", "a contract of its own has its dimensions in ( ) after its name");
  adjoint(at);
  program_->is_derived = true;
  if (accept("wrt")) {
    do program_->wrt.push_back(identifier("the name of a forward input"));
    while (accept(","));
  }
  end_statement();
  if (!at_end() && !is("contract") && !error_)
    fail(now().at, fmt::format("'{}' is derived from '{}' and states nothing else", program_->name,
                               program_->adjoint_of));
}

void Parser::signature() {
  require("(");
  if (!is(")") && !is(";")) {
    do {
      program_->dim_positions.push_back(now().at);
      program_->dims.push_back(declared("the name of a dimension"));
    } while (accept(","));
  }
  if (accept(";") && !is(")")) {
    do {
      AttributeDeclaration attribute;
      attribute.at = now().at;
      attribute.name = declared("the name of an attribute");
      if (accept("=")) attribute.fallback = expression();
      program_->attributes.push_back(std::move(attribute));
    } while (accept(","));
  }
  require(")");
}

void Parser::statement() {
  if (now().kind == Token::Kind::name && (next_is("[") || next_is("="))) {
    auto& list = form_ ? form_->equations : program_->equations;
    list.push_back(equation());
    end_statement();
    return;
  }
  cpu_ = false;
  if (accept("profile")) {
    if (!accept("cpu"))
      return expected("'cpu'", "'profile cpu' stands before a clause that only PyTorch's CPU needs");
    cpu_ = true;
  }
  const Position at = now().at;
  if (accept("form")) {
    Form form;
    form.at = at;
    form.cpu = cpu_;
    form.name = declared("the form's name");
    program_->forms.push_back(std::move(form));
    form_ = &program_->forms.back();
    return end_statement();
  }
  if (accept("round")) {
    rounding();
    return end_statement();
  }
  const std::string word(now().kind == Token::Kind::name ? now().text : "");
  const std::vector<std::string> words = statement_words();
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    if (word.empty()) return expected("a statement");
    return fail(at, fmt::format("unknown statement '{}'{}", word, suggestion(word, words)));
  }
  if (form_) {
    return fail(at,
                fmt::format("'{}' belongs above the forms; a form holds equations and 'round' only", word));
  }
  if (cpu_ && word != "accuracy" && word != "subnormals" && word != "allow") {
    return fail(
        at, fmt::format("'profile cpu' does not apply to '{}'; it stands before accuracy, subnormals, allow, "
                        "round or form",
                        word));
  }
  advance();
  if (word == "input")
    declarations(program_->inputs, false);
  else if (word == "output")
    declarations(program_->outputs, true);
  else if (word == "where")
    conditions_of_domain();
  else
    clause(word, at);
  end_statement();
}

void Parser::conditions_of_domain() {
  do program_->where.push_back(expression());
  while (accept(","));
}

void Parser::declarations(std::vector<Declaration>& list, bool output) {
  std::size_t first = list.size();
  do {
    Declaration declaration;
    declaration.at = now().at;
    declaration.name = declared(output ? "the name of an output" : "the name of an input");
    if (accept("[")) {
      do declaration.shape.push_back(expression());
      while (accept(","));
      require("]");
    }
    list.push_back(std::move(declaration));
    if (accept(":")) {
      Declaration typed;
      type(typed);
      for (; first < list.size(); ++first) {
        list[first].type = typed.type;
        list[first].bound = typed.bound;
        list[first].ignore = typed.ignore;
        list[first].like = typed.like;
        list[first].is_offsets = typed.is_offsets;
        list[first].low = typed.low;
        list[first].high = typed.high;
        list[first].ball = typed.ball;
      }
    }
  } while (accept(","));
  if (first < list.size() && !error_) expected("': TYPE'", "as in 'x[n] : float'");
}

void Parser::type(Declaration& declaration) {
  const Position at = now().at;
  const std::string word = identifier("a type: float, like NAME, a dtype, bool, int, index(n) or offsets(n)");
  if (error_) return;
  ElementType& type = declaration.type;
  if (word == "float") {
    type.kind = ElementType::Kind::floating;
  } else if (word == "like") {
    declaration.like = identifier("the name of an input");
  } else if (word == "bool") {
    type = {ElementType::Kind::fixed, DType::boolean};
  } else if (word == "int") {
    type = {ElementType::Kind::fixed, DType::i32};
  } else if (word == "index") {
    type.kind = ElementType::Kind::index;
    require("(");
    declaration.bound = expression();
    require(")");
    if (accept("or")) declaration.ignore = sum();
  } else if (word == "offsets") {
    type = {ElementType::Kind::fixed, DType::i32};
    declaration.is_offsets = true;
    require("(");
    declaration.bound = expression();
    require(")");
  } else if (const auto dtype = parse_dtype(word)) {
    type = {ElementType::Kind::fixed, *dtype};
  } else {
    fail(at, fmt::format("unknown type '{}'{}", word,
                         suggestion(word, {"float", "like", "bool", "int", "index", "offsets", "f64", "f32",
                                           "f16", "bf16", "e4m3", "e5m2", "i64", "i32", "i8"})));
  }
  if (accept("in")) values(declaration);
}

void Parser::values(Declaration& declaration) {
  if (accept("ball")) {
    require("(");
    declaration.ball = expression();
    require(")");
    return;
  }
  if (!accept("[")) return expected("'[LOW, HIGH]' or 'ball(RADIUS)'", "as in 'x[n] : float in [0, 1]'");
  declaration.low = expression();
  require(",");
  declaration.high = expression();
  require("]");
}

Expected<std::vector<Program>> parse(std::string_view text, std::string_view file) {
  auto tokens = tokenize(text, file);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), text, file).contracts();
}

Expected<std::vector<ExprId>> parse_conditions(Program& program, std::string_view text,
                                               std::string_view file) {
  auto tokens = tokenize(text, file);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), text, file).conditions(program);
}

}  // namespace assay::lang
