#include "properties/attributes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

namespace assay {
namespace {

struct Values {
  std::vector<double> edges;  // 0, 1, -1, ends of the domain, defaults of the others
  std::vector<double> usual;
  std::vector<double> far;  // tiny and huge
};

// The numbers of the conditions: `0.25` of `alpha <= 0.25`.
std::vector<double> numbers_of(std::string_view text) {
  std::vector<double> result;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t i = 0; i < text.size();) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    const bool starts =
        std::isdigit(static_cast<unsigned char>(text[i])) && (i == 0 || !is_word(text[i - 1]));
    if (!starts || error != std::errc()) {
      ++i;
      continue;
    }
    result.push_back(value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return result;
}

bool legal(const Subject& subject, std::size_t i, double value) {
  const Signature& signature = subject.contract.signature();
  Instance instance{subject.dtypes.front(), Dims(signature.dims.size(), 1), {}};
  for (const Attribute& a : signature.attributes) instance.attributes.push_back(a.fallback.value_or(1));
  instance.attributes[i] = value;
  for (const std::int64_t extent : {1, 2, 12, 60, 64}) {
    std::fill(instance.dims.begin(), instance.dims.end(), extent);
    if (admits(subject.contract, instance) && subject.where.holds(instance)) return true;
  }
  return false;
}

Values values_of(const Subject& subject, std::size_t i) {
  const Signature& signature = subject.contract.signature();
  const Attribute& a = signature.attributes[i];
  Values v;
  if (a.is_switch) {
    v.edges = {0, 1};
  } else {
    v.edges = {0, 1, -1};
    for (const double number : numbers_of(conditions_text(subject))) {
      v.edges.push_back(number);
      v.edges.push_back(-number);
      if (a.integral) v.edges.insert(v.edges.end(), {number - 1, number + 1});
    }
    for (const Attribute& other : signature.attributes)
      if (other.integral == a.integral && other.fallback) v.edges.push_back(*other.fallback);
    if (a.integral) {
      v.usual = {2, 3, 4, 5, 7};
    } else {
      v.usual = {1e-6, 1e-3, 0.1, 0.25, 0.5, 0.7, 1.5, 2.5, 6, 20, -0.3, -2};
      v.far = {1e-30, 1e-12, 1e6, 1e30, -1e6};
    }
  }
  for (std::vector<double>* list : {&v.edges, &v.usual, &v.far}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
    std::erase_if(*list, [&](double value) { return value == a.fallback || !legal(subject, i, value); });
  }
  return v;
}

// Many draws ask; the domain of one subject is one text.
const Values& known_values(const Subject& subject, std::size_t i) {
  thread_local std::map<std::pair<std::string, std::size_t>, Values> known;
  std::pair<std::string, std::size_t> key(subject.contract.source(), i);
  key.first.append(subject.where.text()).append(name(subject.dtypes.front()));
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  Values values = values_of(subject, i);
  return known.emplace(std::move(key), std::move(values)).first->second;
}

}  // namespace

double ordinary_attribute(const Subject& subject, std::size_t i, CounterRandom& random) {
  const Attribute& a = subject.contract.signature().attributes[i];
  if (a.fallback) return *a.fallback;
  return a.integral ? static_cast<double>(1 + random.below(3))
                    : 0.5 * static_cast<double>(1 + random.below(4));
}

double draw_attribute(const Subject& subject, std::size_t i, CounterRandom& random) {
  const Values& v = known_values(subject, i);
  // One without a default is a factor of everything: far out it leaves nothing to be judged.
  const bool stated = !subject.contract.signature().attributes[i].fallback;
  const std::uint64_t kind = random.below(stated ? 7 : 8);
  const std::vector<double>* lists[] = {&v.edges, &v.usual, &v.far};
  std::size_t first = kind < 4 ? 0 : kind < 7 ? 1 : 2;
  for (std::size_t k = 0; k < std::size(lists); ++k) {
    const std::vector<double>& list = *lists[(first + k) % std::size(lists)];
    if (!list.empty()) return list[random.below(list.size())];
  }
  return ordinary_attribute(subject, i, random);
}

std::string conditions_text(const Subject& subject) {
  std::string text(subject.where.text());
  std::string_view source = subject.contract.source();
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    line = line.substr(0, line.find('#'));
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string_view::npos && line.substr(start).starts_with("where"))
      text.append(" ").append(line);
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return text;
}

}  // namespace assay
