// Inline PTX: a template of known instructions becomes calls of functions named after them, with the operands
// in the template's order. Others are refused by name, at compile time, on their line.

#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/rewrites.h"

namespace assay::cpu {
namespace {

// Those of include/assay_cuda/ptx.h.
constexpr std::array kKnown = {
    std::string_view("bar.sync"),
    std::string_view("bfe.u32"),
    std::string_view("bfe.s32"),
    std::string_view("bfi.b32"),
    std::string_view("cvt.rna.tf32.f32"),
    std::string_view("cvt.rn.f16.f32"),
    std::string_view("ex2.approx.f32"),
    std::string_view("ex2.approx.ftz.f32"),
    std::string_view("fma.rn.f32"),
    std::string_view("lg2.approx.f32"),
    std::string_view("lop3.b32"),
    std::string_view("membar.gl"),
    std::string_view("membar.cta"),
    std::string_view("mov.b32"),
    std::string_view("mov.u32"),
    std::string_view("prefetch.global.L1"),
    std::string_view("prefetch.global.L2"),
    std::string_view("prmt.b32"),
    std::string_view("rcp.approx.f32"),
    std::string_view("rcp.approx.ftz.f32"),
    std::string_view("rsqrt.approx.f32"),
    std::string_view("sqrt.approx.f32"),
    std::string_view("tanh.approx.f32"),
};

bool known(std::string_view name) {
  for (const std::string_view k : kKnown)
    if (k == name) return true;
  return false;
}

// The characters of adjacent plain string literals; nothing where there is another kind.
std::optional<std::string> characters(const Text& text, std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view t = text[i].text;
    if (text[i].kind != Token::Kind::literal || t.size() < 2 || t.front() != '"') return std::nullopt;
    for (std::size_t k = 1; k + 1 < t.size(); ++k) {
      if (t[k] != '\\') {
        out += t[k];
      } else if (++k + 1 < t.size()) {
        out += t[k] == 'n' || t[k] == 't' ? ' ' : t[k];
      }
    }
  }
  return out;
}

struct Instruction {
  std::string name;
  std::vector<std::string> operands;  // "%0", "%%laneid", "[%1+16]", "5"
};

// The instructions of a template. Blocks, labels, predicates and registers of its own make names that are not
// known.
std::vector<Instruction> instructions(std::string_view ptx) {
  std::vector<Instruction> out;
  std::string part;
  const auto finish = [&] {
    std::size_t at = part.find_first_not_of(" \n\t");
    if (at == std::string::npos) return part.clear();
    std::size_t end = part.find_first_of(" \n\t{", at);
    if (end == at) ++end;
    Instruction instruction{part.substr(at, end == std::string::npos ? end : end - at), {}};
    std::string operand;
    const auto flush = [&] {
      if (!operand.empty()) instruction.operands.push_back(operand);
      operand.clear();
    };
    for (std::size_t i = end; i < part.size(); ++i) {
      if (part[i] == ',')
        flush();
      else if (!std::isspace(static_cast<unsigned char>(part[i])))
        operand += part[i];
    }
    flush();
    out.push_back(std::move(instruction));
    part.clear();
  };
  for (const char c : ptx) {
    if (c == ';')
      finish();
    else
      part += c;
  }
  finish();
  return out;
}

class Statement {
 public:
  Statement(Text& text, std::size_t asm_at, std::size_t open, std::size_t close)
      : text_(text), begin_(asm_at), open_(open), close_(close) {}

  void rewrite() {
    std::size_t end = open_ + 1;  // of the template
    while (end < close_ && !text_[end].is(":") && !text_[end].is("::")) ++end;
    const auto ptx = characters(text_, open_ + 1, end);
    if (!ptx) return;
    read_operands(end);
    std::string calls;
    for (const Instruction& instruction : instructions(*ptx)) {
      const auto call = known(instruction.name) ? call_of(instruction) : std::nullopt;
      if (!call) return refuse(instruction.name);
      calls += *call;
    }
    text_.replace(begin_, close_ + 1, "do { " + calls + "} while (false)");
  }

 private:
  // "constraint"(expression), ... after each colon, but for the clobbers.
  void read_operands(std::size_t i) {
    int colons = 0;
    for (; i < close_; ++i) {
      if (text_[i].is(":")) ++colons;
      if (text_[i].is("::")) colons += 2;
      if (colons > 2) return;
      if (text_[i].kind == Token::Kind::literal && text_[i + 1].is("(")) {
        const auto end = text_.closing(i + 1);
        if (!end) return;
        operands_.push_back(text_.joined(i + 1, *end + 1));
        i = *end;
      }
    }
  }

  std::optional<std::string> call_of(const Instruction& instruction) const {
    std::string name = "::assay::ptx::", arguments;
    for (const char c : instruction.name) name += c == '.' ? '_' : c;
    for (std::string operand : instruction.operands) {
      if (operand.starts_with("[") && operand.ends_with("]")) operand = operand.substr(1, operand.size() - 2);
      std::string argument;
      if (operand.starts_with("%%") && instruction.operands.size() == 2) {
        name += '_';
        name += operand.substr(2);  // a special register
        continue;
      }
      if (operand.starts_with("%")) {
        const std::size_t number = std::strtoul(operand.c_str() + 1, nullptr, 10);
        if (operand.find_first_not_of("0123456789", 1) != std::string::npos || number >= operands_.size())
          return std::nullopt;
        argument = operands_[number];
      } else if (!operand.empty() &&
                 operand.find_first_not_of("0123456789xXabcdefABCDEF") == std::string::npos) {
        argument = operand;
      } else {
        return std::nullopt;
      }
      if (!arguments.empty()) arguments += ", ";
      arguments += argument;
    }
    return name + "(" + arguments + "); ";
  }

  void refuse(const std::string& name) {
    std::string shown;
    for (const char c : name)
      if (c != '"' && c != '\\') shown += c;
    // Diagnosed where code is made of it: a template that nobody uses may have it.
    const std::string function = "assay_refused_" + std::to_string(begin_);
    text_.replace(begin_, close_ + 1,
                  "do { __attribute__((error(\"inline PTX '" + shown +
                      "' is not supported on the CPU\"))) void " + function + "(); " + function +
                      "(); } while (false)");
  }

  Text& text_;
  std::size_t begin_, open_, close_;
  std::vector<std::string> operands_;
};

}  // namespace

void rewrite_inline_ptx(Text& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text[i].is("asm") && !text[i].is("__asm__")) continue;
    std::size_t open = i + 1;
    while (text[open].is("volatile") || text[open].is("__volatile__")) ++open;
    const auto close = text[open].is("(") ? text.closing(open) : std::nullopt;
    if (close) Statement(text, i, open, *close).rewrite();
  }
}

}  // namespace assay::cpu
