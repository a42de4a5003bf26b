#include "kernels/cpu/text.h"

#include <algorithm>

namespace assay::cpu {
namespace {

std::string newlines(const Token& token) {
  std::string out;
  for (char c : token.text)
    if (c == '\n') out += token.directive ? "\\\n" : "\n";
  return out;
}

}  // namespace

Text::Text(std::string_view source) : source_(source), tokens_(tokenize(source)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    if (tokens_[i].is_code()) code_.push_back(i);
}

const Token& Text::operator[](std::size_t i) const {
  static const Token none{Token::Kind::space, 0, {}, 0, false};
  return i < code_.size() ? tokens_[code_[i]] : none;
}

bool Text::adjacent(std::size_t i, char c, int count) const {
  for (int k = 0; k < count; ++k) {
    const Token& t = (*this)[i + k];
    if (t.text.size() != 1 || t.text[0] != c || t.begin != (*this)[i].begin + k) return false;
  }
  return true;
}

std::optional<std::size_t> Text::closing(std::size_t i) const {
  int depth = 0;
  for (; i < code_.size(); ++i) {
    const std::string_view t = (*this)[i].text;
    if (t == "(" || t == "[" || t == "{") ++depth;
    if ((t == ")" || t == "]" || t == "}") && --depth == 0) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Text::opening(std::size_t i) const {
  const bool angles = (*this)[i].is(">");
  int depth = 0, angle = 0;
  for (std::size_t k = i + 1; k-- > 0;) {
    const std::string_view t = (*this)[k].text;
    if (t == ")" || t == "]" || t == "}") ++depth;
    if (t == "(" || t == "[" || t == "{") {
      if (--depth < 0) return std::nullopt;
      if (depth == 0 && !angles) return k;
    }
    if (angles && depth == 0) {
      if (t == ";") return std::nullopt;
      if (t == ">") ++angle;
      if (t == "<" && --angle == 0) return k;
    }
  }
  return std::nullopt;
}

std::string Text::joined(std::size_t first, std::size_t last) const {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    const Token& t = (*this)[i];
    if (t.kind == Token::Kind::literal) continue;
    const bool words = !out.empty() && t.kind == Token::Kind::identifier &&
                       (std::isalnum(static_cast<unsigned char>(out.back())) || out.back() == '_');
    if (words) out += ' ';
    out += t.text;
    if (t.is(",")) out += ' ';
  }
  return out;
}

void Text::insert_before(std::size_t i, std::string text) {
  edits_.push_back({(*this)[i].begin, 0, std::move(text)});
}

void Text::insert_after(std::size_t i, std::string text) {
  edits_.push_back({(*this)[i].begin + (*this)[i].text.size(), 0, std::move(text)});
}

void Text::replace(std::size_t first, std::size_t last, std::string text) {
  const std::size_t begin = (*this)[first].begin;
  const std::size_t end = (*this)[last - 1].begin + (*this)[last - 1].text.size();
  for (std::size_t t = code_[first]; t <= code_[last - 1]; ++t)
    if (!tokens_[t].is_code()) text += newlines(tokens_[t]);
  edits_.push_back({begin, end - begin, std::move(text)});
}

std::string Text::edited() {
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string out;
  out.reserve(source_.size() + 64 * edits_.size());
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    if (edit.begin < at) continue;
    out += source_.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.begin + edit.length;
  }
  out += source_.substr(at);
  return out;
}

}  // namespace assay::cpu
