#include "core/reproducer.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <set>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kHeader = "assay case 1";

std::string print(const Place& place) {
  return fmt::format("{} from {}", place.distance, place.from_end ? "end" : "start");
}

// One line of the file: where it is, what is before and what is after the `=`.
struct Line {
  std::size_t number = 0;
  std::string key;
  std::string value;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  template <class... Args>
  tl::unexpected<Error> error(std::size_t line, fmt::format_string<Args...> text, Args&&... args) const {
    return usage_error("{}:{}: {}", file_, line, fmt::format(text, std::forward<Args>(args)...));
  }

  Expected<std::vector<Line>> lines() const {
    std::vector<Line> result;
    const std::vector<std::string> all = split(text_, '\n');
    std::size_t number = 0;
    bool header = false;
    for (const std::string& raw : all) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.empty() || line.front() == '#') continue;
      if (!header) {
        if (line != kHeader)
          return error(number, "not a case file: the first line is '{}', expected '{}'", line.substr(0, 40),
                       kHeader);
        header = true;
        continue;
      }
      const auto equals = line.find('=');
      if (equals == std::string_view::npos)
        return error(number, "expected 'key = value', found '{}'", line.substr(0, 40));
      result.push_back(
          {number, std::string(trim(line.substr(0, equals))), std::string(trim(line.substr(equals + 1)))});
    }
    if (!header) return error(1, "the file is empty, expected '{}' in its first line", kHeader);
    last_line_ = number;
    return result;
  }

  std::size_t last_line() const { return last_line_; }

 private:
  std::string_view text_;
  std::string_view file_;
  mutable std::size_t last_line_ = 1;
};

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "3 from end"
std::optional<Place> parse_place(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto distance = number<std::uint16_t>(text.substr(0, blank));
  const std::string_view rest = trim(text.substr(blank));
  if (!distance || (rest != "from start" && rest != "from end")) return std::nullopt;
  return Place{rest == "from end", *distance};
}

std::vector<std::string> names_of(const std::vector<TensorSignature>& tensors) {
  std::vector<std::string> names;
  for (const TensorSignature& tensor : tensors) names.push_back(tensor.name);
  return names;
}

std::optional<std::size_t> index_of(std::string_view name, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

template <class Enum>
std::vector<std::string> all_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(name(static_cast<Enum>(i)));
  return names;
}

// Reads the lines of one case of `signature`.
class CaseReader {
 public:
  CaseReader(const Parser& parser, const Signature& signature) : parser_(parser), signature_(signature) {}

  Expected<Reproducer> read(const std::vector<Line>& lines) {
    prepare();
    for (const Line& line : lines) {
      if (!line.key.starts_with("plant ") && !seen_.insert(line.key).second)
        return parser_.error(line.number, "'{}' is given twice", line.key);
      Expected<void> done = one(line);
      if (!done) return tl::unexpected(done.error());
    }
    for (const std::string& key : required())
      if (!seen_.contains(key))
        return parser_.error(parser_.last_line(), "the line '{} = ...' is missing", key);
    return std::move(result_);
  }

 private:
  void prepare() {
    Case& c = result_.test;
    c.instance.dims.assign(signature_.dims.size(), 0);
    for (const Attribute& attribute : signature_.attributes)
      c.instance.attributes.push_back(attribute.fallback.value_or(0));
    c.inputs.resize(signature_.inputs.size());
    c.output_offsets.resize(signature_.outputs.size());
  }

  std::vector<std::string> required() const {
    std::vector<std::string> keys = {"kernel", "contract", "gate", "dtype", "dims", "seed"};
    for (const TensorSignature& input : signature_.inputs) keys.push_back("input " + input.name);
    for (const TensorSignature& output : signature_.outputs) keys.push_back("output " + output.name);
    for (const Attribute& attribute : signature_.attributes)
      if (!attribute.fallback) keys.emplace_back("attributes");
    return keys;
  }

  Expected<void> one(const Line& line) {
    Case& c = result_.test;
    const std::map<std::string, std::string*> texts = {
        {"kernel", &result_.kernel}, {"bind", &result_.bind},
        {"where", &result_.where},   {"allow", &result_.allow},
        {"gate", &result_.gate},     {"signature", &result_.signature},
        {"found", &result_.found},   {"contract", &result_.test.contract}};
    if (const auto text = texts.find(line.key); text != texts.end()) {
      *text->second = line.value;
      if (line.value.empty() && (line.key == "kernel" || line.key == "gate" || line.key == "contract"))
        return parser_.error(line.number, "{}: is empty", line.key);
      return {};
    }
    if (line.key == "dtype") {
      const auto dtype = parse_dtype(line.value);
      if (!dtype || !is_float(*dtype))
        return parser_.error(line.number, "dtype: '{}' is none of f64, f32, f16, bf16", line.value);
      c.instance.dtype = *dtype;
      return {};
    }
    if (line.key == "seed") {
      const auto seed = number<std::uint64_t>(line.value);
      if (!seed) return parser_.error(line.number, "seed: '{}' is no integer from 0 to 2^64 - 1", line.value);
      c.seed = *seed;
      return {};
    }
    if (line.key == "dims") return dims(line);
    if (line.key == "attributes") return attributes(line);
    if (line.key.starts_with("input ")) return input(line);
    if (line.key.starts_with("output ")) return output(line);
    if (line.key.starts_with("plant ")) return plant(line);
    return parser_.error(
        line.number, "unknown field '{}'{}", line.key,
        suggestion(line.key, {"kernel", "bind", "contract", "where", "allow", "gate", "dtype", "dims",
                              "attributes", "seed", "signature", "found", "input", "output", "plant"}));
  }

  // "rows=1 cols=2": calls set(position, value text) for each pair; every name once.
  Expected<void> pairs(const Line& line, const std::vector<std::string>& names, bool all,
                       const std::function<bool(std::size_t, std::string_view)>& set,
                       std::string_view expected) {
    std::set<std::size_t> given;
    for (const std::string& part : split(line.value, ' ')) {
      if (trim(part).empty()) continue;
      const auto equals = part.find('=');
      if (equals == std::string::npos)
        return parser_.error(line.number, "{}: expected 'name=value', found '{}'", line.key, part);
      const std::string name = part.substr(0, equals);
      const auto position = index_of(name, names);
      if (!position)
        return parser_.error(line.number, "{}: contract {} has no '{}'{}", line.key, signature_.name, name,
                             suggestion(name, names));
      if (!given.insert(*position).second)
        return parser_.error(line.number, "{}: '{}' is given twice", line.key, name);
      if (!set(*position, std::string_view(part).substr(equals + 1)))
        return parser_.error(line.number, "{}: {}: '{}' is no {}", line.key, name, part.substr(equals + 1),
                             expected);
    }
    if (all && given.size() != names.size()) {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (!given.contains(i)) return parser_.error(line.number, "{}: '{}' is missing", line.key, names[i]);
    }
    return {};
  }

  Expected<void> dims(const Line& line) {
    return pairs(
        line, signature_.dims, true,
        [&](std::size_t i, std::string_view text) {
          const auto value = number<std::int64_t>(text);
          if (!value || *value < 0 || *value >= std::int64_t{1} << 40) return false;
          result_.test.instance.dims[i] = *value;
          return true;
        },
        "extent (an integer from 0 to 2^40 - 1)");
  }

  Expected<void> attributes(const Line& line) {
    std::vector<std::string> names;
    for (const Attribute& attribute : signature_.attributes) names.push_back(attribute.name);
    return pairs(
        line, names, false,
        [&](std::size_t i, std::string_view text) {
          const auto value = number<double>(text);
          if (!value) return false;
          result_.test.instance.attributes[i] = *value;
          return true;
        },
        "number");
  }

  // "fill normal, scale 0, order drawn, offset 0"
  Expected<void> fields(
      const Line& line,
      const std::map<std::string, std::function<Expected<void>(std::string_view)>>& setters) {
    std::set<std::string> given;
    for (const std::string& part : split(line.value, ',')) {
      const std::string_view field = trim(part);
      const auto blank = field.find(' ');
      const std::string key(field.substr(0, blank));
      const auto setter = setters.find(key);
      if (setter == setters.end() || blank == std::string_view::npos) {
        std::vector<std::string> known;
        for (const auto& [name, unused] : setters) known.push_back(name);
        return parser_.error(line.number, "{}: expected one of '{} ...', found '{}'", line.key,
                             join(known, " ...', '"), field);
      }
      if (!given.insert(key).second)
        return parser_.error(line.number, "{}: '{}' is given twice", line.key, key);
      Expected<void> done = setter->second(trim(field.substr(blank)));
      if (!done) return done;
    }
    return {};
  }

  template <class Enum>
  std::function<Expected<void>(std::string_view)> choice(const Line& line, std::string_view what, int count,
                                                         std::optional<Enum> (*parse)(std::string_view),
                                                         Enum& target) {
    return [this, &line, what, count, parse, &target](std::string_view text) -> Expected<void> {
      const auto value = parse(text);
      if (!value)
        return parser_.error(line.number, "{}: {}: unknown '{}'{}", line.key, what, text,
                             suggestion(text, all_names<Enum>(count)));
      target = *value;
      return {};
    };
  }

  template <class Integer>
  std::function<Expected<void>(std::string_view)> bounded(const Line& line, std::string_view what, int low,
                                                          int high, Integer& target) {
    return [this, &line, what, low, high, &target](std::string_view text) -> Expected<void> {
      const auto value = number<int>(text);
      if (!value || *value < low || *value > high)
        return parser_.error(line.number, "{}: {}: '{}' is no integer from {} to {}", line.key, what, text,
                             low, high);
      target = static_cast<Integer>(*value);
      return {};
    };
  }

  Expected<std::size_t> tensor(const Line& line, std::size_t prefix,
                               const std::vector<TensorSignature>& tensors, std::string_view kind) {
    const std::string name(trim(std::string_view(line.key).substr(prefix)));
    const auto position = index_of(name, names_of(tensors));
    if (!position)
      return parser_.error(line.number, "contract {} has no {} '{}'{}", signature_.name, kind, name,
                           suggestion(name, names_of(tensors)));
    return *position;
  }

  Expected<void> input(const Line& line) {
    const Expected<std::size_t> i = tensor(line, 6, signature_.inputs, "input");
    if (!i) return tl::unexpected(i.error());
    InputRecipe& recipe = result_.test.inputs[*i];
    return fields(line, {{"fill", choice<Fill>(line, "fill", kFills, parse_fill, recipe.fill)},
                         {"scale", bounded(line, "scale", -60, 60, recipe.scale)},
                         {"order", choice<Order>(line, "order", kOrders, parse_order, recipe.order)},
                         {"offset", bounded(line, "offset", 0, 255, recipe.offset)}});
  }

  Expected<void> output(const Line& line) {
    const Expected<std::size_t> i = tensor(line, 7, signature_.outputs, "output");
    if (!i) return tl::unexpected(i.error());
    return fields(line, {{"offset", bounded(line, "offset", 0, 255, result_.test.output_offsets[*i])}});
  }

  // "nan, row 0 from start, column 3 from end"
  Expected<void> plant(const Line& line) {
    const Expected<std::size_t> i = tensor(line, 6, signature_.inputs, "input");
    if (!i) return tl::unexpected(i.error());
    const std::vector<std::string> parts = split(line.value, ',');
    if (parts.size() != 3)
      return parser_.error(line.number, "{}: expected 'VALUE, row N from start|end, column N from start|end'",
                           line.key);
    Plant plant;
    plant.input = static_cast<std::uint8_t>(*i);
    const auto value = parse_special(trim(parts[0]));
    if (!value)
      return parser_.error(line.number, "{}: unknown value '{}'{}", line.key, trim(parts[0]),
                           suggestion(trim(parts[0]), all_names<Special>(kSpecials)));
    plant.value = *value;
    for (int k = 1; k <= 2; ++k) {
      const std::string_view part = trim(parts[static_cast<std::size_t>(k)]);
      const std::string_view word = k == 1 ? "row " : "column ";
      const auto place = part.starts_with(word) ? parse_place(trim(part.substr(word.size()))) : std::nullopt;
      if (!place)
        return parser_.error(line.number,
                             "{}: expected '{}N from start' or '{}N from end' with N <= 65535, found '{}'",
                             line.key, word, word, part);
      (k == 1 ? plant.row : plant.column) = *place;
    }
    result_.test.plants.push_back(plant);
    return {};
  }

  const Parser& parser_;
  const Signature& signature_;
  Reproducer result_;
  std::set<std::string> seen_;
};

}  // namespace

std::string print(const Reproducer& r, const Signature& signature) {
  const Case& c = r.test;
  std::string text = fmt::format("{}\n", kHeader);
  const auto line = [&](std::string_view key, std::string value) {
    for (char& letter : value)
      if (letter == '\n' || letter == '\r') letter = ' ';
    text += fmt::format("{:<9} = {}\n", key, value);
  };
  const auto optional_line = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) line(key, value);
  };
  line("kernel", r.kernel);
  optional_line("bind", r.bind);
  line("contract", c.contract);
  optional_line("where", r.where);
  optional_line("allow", r.allow);
  line("gate", r.gate);
  optional_line("signature", r.signature);
  optional_line("found", r.found);
  line("dtype", std::string(name(c.instance.dtype)));
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < signature.dims.size(); ++i)
    pairs.push_back(fmt::format("{}={}", signature.dims[i], c.instance.dims[i]));
  line("dims", join(pairs, " "));
  pairs.clear();
  for (std::size_t i = 0; i < signature.attributes.size(); ++i)
    pairs.push_back(fmt::format("{}={}", signature.attributes[i].name, c.instance.attributes[i]));
  optional_line("attributes", join(pairs, " "));
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const InputRecipe& recipe = c.inputs[i];
    line("input " + signature.inputs[i].name,
         fmt::format("fill {}, scale {}, order {}, offset {}", name(recipe.fill), recipe.scale,
                     name(recipe.order), recipe.offset));
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i)
    line("output " + signature.outputs[i].name, fmt::format("offset {}", c.output_offsets[i]));
  for (const Plant& plant : c.plants)
    line("plant " + signature.inputs[plant.input].name,
         fmt::format("{}, row {}, column {}", name(plant.value), print(plant.row), print(plant.column)));
  line("seed", fmt::format("{}", c.seed));
  return text;
}

Expected<std::string> contract_named_in(std::string_view text, std::string_view file) {
  const Parser parser(text, file);
  const Expected<std::vector<Line>> lines = parser.lines();
  if (!lines) return tl::unexpected(lines.error());
  for (const Line& line : *lines)
    if (line.key == "contract" && !line.value.empty()) return line.value;
  return parser.error(parser.last_line(), "the line 'contract = ...' is missing");
}

Expected<Reproducer> parse_reproducer(std::string_view text, std::string_view file,
                                      const Signature& signature) {
  const Parser parser(text, file);
  const Expected<std::vector<Line>> lines = parser.lines();
  if (!lines) return tl::unexpected(lines.error());
  return CaseReader(parser, signature).read(*lines);
}

}  // namespace assay
