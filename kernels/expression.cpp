#include "kernels/expression.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/text.h"

namespace assay {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Signature& signature) : text_(text), signature_(signature) {}

  Expected<Expression> run() {
    if (!sum()) return tl::unexpected(*error_);
    skip_blanks();
    if (at_ != text_.size()) {
      return usage_error("unexpected `{}` in `{}`; expected + - * / // % or the end", text_.substr(at_),
                         text_);
    }
    return std::move(result_);
  }

 private:
  using Kind = Expression::Step::Kind;

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  template <class... Args>
  bool fail(fmt::format_string<Args...> format, Args&&... args) {
    error_ = Error{ErrorKind::usage, fmt::format(format, std::forward<Args>(args)...)};
    return false;
  }
  void binary(char operation) { result_.steps_.push_back({Kind::binary, {}, 0, operation}); }

  bool sum() {
    if (!product()) return false;
    while (true) {
      const char operation = accept("+") ? '+' : accept("-") ? '-' : '\0';
      if (operation == '\0') return true;
      if (!product()) return false;
      binary(operation);
    }
  }
  bool product() {
    if (!factor()) return false;
    while (true) {
      const char operation = accept("*")    ? '*'
                             : accept("//") ? 'f'
                             : accept("/")  ? '/'
                             : accept("%")  ? '%'
                                            : '\0';
      if (operation == '\0') return true;
      if (!factor()) return false;
      binary(operation);
    }
  }
  bool factor() {
    if (++depth_ > 100) return fail("`{}` is nested too deep", text_);
    const bool ok = accept("-")   ? factor() && (result_.steps_.push_back({Kind::negate, {}, 0, 0}), true)
                    : accept("(") ? sum() && (accept(")") || fail("missing `)` in `{}`", text_))
                                  : atom();
    --depth_;
    return ok;
  }
  bool atom() {
    skip_blanks();
    std::size_t end = at_;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '-' || text_[end] == '+') && end > at_ &&
                                   std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 &&
                                   (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
      ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.empty()) {
      return fail("expected a dimension, an attribute or a number in `{}`, {}", text_,
                  at_ < text_.size() ? fmt::format("found `{}`", text_.substr(at_)) : "found the end");
    }
    at_ = end;
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '.') return number(word);
    for (std::size_t i = 0; i < signature_.dims.size(); ++i) {
      if (signature_.dims[i] == word) return result_.steps_.push_back({Kind::dim, {}, i, 0}), true;
    }
    for (std::size_t i = 0; i < signature_.attributes.size(); ++i) {
      if (signature_.attributes[i].name == word)
        return result_.steps_.push_back({Kind::attribute, {}, i, 0}), true;
    }
    std::vector<std::string> known = signature_.dims;
    for (const Attribute& a : signature_.attributes) known.push_back(a.name);
    return fail("`{}` is no dimension or attribute of {}{}", word, signature_.name, suggestion(word, known));
  }
  bool number(std::string_view word) {
    Number n;
    const char* const last = word.data() + word.size();
    if (const auto r = std::from_chars(word.data(), last, n.integer); r.ec == std::errc() && r.ptr == last) {
      n.real = static_cast<double>(n.integer);
    } else if (const auto q = std::from_chars(word.data(), last, n.real);
               q.ec == std::errc() && q.ptr == last) {
      n.is_integer = false;
    } else {
      return fail("`{}` is no number", word);
    }
    result_.steps_.push_back({Kind::number, n, 0, 0});
    return true;
  }

  std::string_view text_;
  const Signature& signature_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression result_;
  std::optional<Error> error_;
};

namespace {

Number real(double value) {
  return {false, 0, value};
}
Number integer(std::int64_t value) {
  return {true, value, static_cast<double>(value)};
}

std::int64_t floor_division(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

Expected<Number> apply(char operation, const Number& a, const Number& b) {
  const auto overflow = [] { return usage_error("the value is beyond 64 bits"); };
  const auto by_zero = [] { return usage_error("division by zero"); };
  if (a.is_integer && b.is_integer) {
    std::int64_t r = 0;
    switch (operation) {
      case '+':
        if (__builtin_add_overflow(a.integer, b.integer, &r)) return overflow();
        return integer(r);
      case '-':
        if (__builtin_sub_overflow(a.integer, b.integer, &r)) return overflow();
        return integer(r);
      case '*':
        if (__builtin_mul_overflow(a.integer, b.integer, &r)) return overflow();
        return integer(r);
      default:
        break;
    }
    if (b.integer == 0) return by_zero();
    if (b.integer == -1) {  // the least integer over -1 overflows
      if (operation == '%') return integer(0);
      if (__builtin_sub_overflow(std::int64_t{0}, a.integer, &r)) return overflow();
      return integer(r);
    }
    const std::int64_t quotient = floor_division(a.integer, b.integer);
    if (operation == 'f') return integer(quotient);
    if (operation == '%') return integer(a.integer - quotient * b.integer);
    if (a.integer % b.integer == 0) return integer(quotient);
    return real(a.real / b.real);
  }
  switch (operation) {
    case '+':
      return real(a.real + b.real);
    case '-':
      return real(a.real - b.real);
    case '*':
      return real(a.real * b.real);
    case '/':
      return real(a.real / b.real);
    case 'f':
      return real(std::floor(a.real / b.real));
    default:
      return real(a.real - std::floor(a.real / b.real) * b.real);
  }
}

}  // namespace

Expected<Expression> Expression::parse(std::string_view text, const Signature& signature) {
  Expected<Expression> parsed = ExpressionParser(trim(text), signature).run();
  if (!parsed) return parsed;
  // What no instance can make right is the text's fault: constants that overflow, and a division by 0.
  std::vector<std::optional<Number>> stack;
  for (const Step& step : parsed->steps_) {
    if (step.kind == Step::Kind::number) {
      stack.emplace_back(step.number);
    } else if (step.kind == Step::Kind::dim || step.kind == Step::Kind::attribute) {
      stack.emplace_back(std::nullopt);
    } else if (step.kind == Step::Kind::binary) {
      const std::optional<Number> b = stack.back();
      stack.pop_back();
      const bool divides = step.operation == '/' || step.operation == 'f' || step.operation == '%';
      if (divides && b && b->real == 0) return usage_error("division by zero in `{}`", trim(text));
      if (!b || !stack.back()) {
        stack.back().reset();
        continue;
      }
      const Expected<Number> value = apply(step.operation, *stack.back(), *b);
      if (!value) return usage_error("{} in `{}`", value.error().message, trim(text));
      stack.back() = *value;
    } else if (stack.back()) {
      const Expected<Number> value = apply('-', integer(0), *stack.back());
      if (!value) return usage_error("{} in `{}`", value.error().message, trim(text));
      stack.back() = *value;
    }
  }
  return parsed;
}

Expected<Number> Expression::evaluate(const Instance& instance) const {
  std::vector<Number> stack;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::number:
        stack.push_back(step.number);
        break;
      case Step::Kind::dim:
        stack.push_back(integer(instance.dims[step.index]));
        break;
      case Step::Kind::attribute: {
        const double value = instance.attributes[step.index];
        const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
        stack.push_back(whole ? integer(static_cast<std::int64_t>(value)) : real(value));
        break;
      }
      case Step::Kind::negate: {
        auto negated = stack.back().is_integer ? apply('-', integer(0), stack.back())
                                               : Expected<Number>(real(-stack.back().real));
        if (!negated) return negated;
        stack.back() = *negated;
        break;
      }
      case Step::Kind::binary: {
        const Number b = stack.back();
        stack.pop_back();
        auto result = apply(step.operation, stack.back(), b);
        if (!result) return result;
        stack.back() = *result;
        break;
      }
    }
  }
  return stack.back();
}

bool Expression::is_integral(const Signature& signature) const {
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::number && !step.number.is_integer) return false;
    if (step.kind == Step::Kind::attribute && !signature.attributes[step.index].integral) return false;
  }
  return true;
}

}  // namespace assay
