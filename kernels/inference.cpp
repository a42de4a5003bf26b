#include "kernels/inference.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <numeric>

#include "core/text.h"
#include "kernels/types.h"

namespace assay {
namespace {

constexpr int kExact = 8, kStrong = 4, kWeak = 2;
constexpr std::size_t kMostTensors = 8;  // assignments are enumerated; more go by their names

using Words = std::initializer_list<std::string_view>;

bool among(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Lower case without underscores and the usual marks of device pointers: d_x, g_x, x_ptr, px.
std::string plain(std::string_view name) {
  for (const std::string_view mark : {"d_", "g_", "dev_", "h_", "p_", "device_", "gpu_"}) {
    if (name.size() > mark.size() && name.starts_with(mark)) {
      name.remove_prefix(mark.size());
      break;
    }
  }
  for (const std::string_view mark : {"_ptr", "_data", "_d", "_dev", "_device", "_gpu", "_in", "_buf"}) {
    if (name.size() > mark.size() && name.ends_with(mark)) {
      name.remove_suffix(mark.size());
      break;
    }
  }
  std::string result;
  for (const char c : name) {
    if (c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

bool says_input(std::string_view n) {
  return among(n, {"input", "in", "inp", "x", "a", "src", "source", "inputs", "input1", "input2", "lhs",
                   "rhs", "logits"});
}
bool says_output(std::string_view n) {
  return among(n, {"output", "out", "y", "o", "dst", "dest", "destination", "result", "results", "res",
                   "outputs", "z"});
}

// Words that people use for a tensor of the name that the contract gives it.
bool means_tensor(std::string_view parameter, std::string_view tensor, bool is_output) {
  const auto either = [&](Words words) { return among(tensor, words) && among(parameter, words); };
  if (either({"w", "weight", "weights", "gamma", "g"})) return true;
  if (either({"b", "bias", "beta"})) return true;
  if (either({"target", "targets", "label", "labels", "t"})) return true;
  if (either({"index", "indices", "idx", "ids"})) return true;
  if (either({"q", "query"}) || either({"k", "key", "keys"}) || either({"v", "value", "values", "val"}))
    return true;
  if (tensor.size() > 1 && tensor[0] == 'd') {  // a gradient
    const std::string of(tensor.substr(1));
    if (parameter == "grad" + of || parameter == of + "grad" || parameter == "d" + of) return true;
    return is_output
               ? among(parameter, {"gradinput", "gradin", "dinput", "dinp", "dx"})
               : among(parameter, {"gradoutput", "gradout", "doutput", "dout", "dy", "grad", "upstream"});
  }
  return false;
}

std::string lower(std::string_view name) {
  return plain(name);
}

int tensor_score(const Parameter& p, const TensorSignature& tensor, bool is_output, bool any_const) {
  const std::string name = plain(p.name);
  const std::string wanted = lower(tensor.name);
  int score = 0;
  if (name == wanted) {
    score += kExact;
  } else if (means_tensor(name, wanted, is_output)) {
    score += kStrong + kWeak;
  } else if (is_output ? says_output(name) : says_input(name)) {
    score += kStrong;
  } else if (is_output ? says_input(name) : says_output(name)) {
    score -= kStrong;
  }
  if (any_const) score += (p.is_const != is_output) ? kWeak : -kWeak;
  return score;
}

bool is_row_like(std::string_view n) {
  return among(n, {"rows", "m", "batch", "b", "batchsize", "numrows", "nrows", "outer", "outersize", "t",
                   "tokens", "numtokens", "bs", "height", "h", "r", "numsamples", "samples", "batches"});
}
bool is_column_like(std::string_view n) {
  return among(n, {"cols",      "d",           "dim",
                   "c",         "hidden",      "hiddensize",
                   "hiddendim", "k",           "width",
                   "w",         "features",    "numfeatures",
                   "numcols",   "ncols",       "rowsize",
                   "rowlen",    "inner",       "innersize",
                   "l",         "v",           "vocab",
                   "vocabsize", "classes",     "numclasses",
                   "columns",   "featuresize", "normalizedsize",
                   "f",         "seqlen",      "embeddim"});
}
bool is_total_like(std::string_view n) {
  return among(n, {"numel", "total", "totalelements", "numelements", "nelements", "elements", "nelem",
                   "totalsize", "count", "nelems", "numelems"});
}
bool is_size_like(std::string_view n) {
  return among(n, {"n", "size", "len", "length", "num", "ndata"});
}

bool means_attribute(std::string_view parameter, std::string_view attribute) {
  const auto either = [&](Words words) { return among(attribute, words) && among(parameter, words); };
  return parameter == attribute || either({"eps", "epsilon"}) || either({"scale", "scaling", "smscale"}) ||
         either({"alpha", "negativeslope", "slope"}) || either({"ignore", "ignoreindex"});
}

struct Option {
  std::string expression;
  int score = 0;
  std::size_t rank = 0;  // for the contract's order
  bool is_dim = false;
};

bool is_integer_scalar(const Parameter& p) {
  return p.dtype && !is_float(*p.dtype);
}

std::vector<Option> scalar_options(const Parameter& p, const Signature& signature,
                                   std::size_t integer_scalars, std::size_t real_scalars) {
  std::vector<Option> options;
  const std::string name = plain(p.name);
  for (std::size_t i = 0; i < signature.attributes.size(); ++i) {
    const Attribute& a = signature.attributes[i];
    if (is_integer_scalar(p) && !a.integral) continue;
    int score = means_attribute(name, lower(a.name)) ? kExact : 0;
    if (score == 0 && !is_integer_scalar(p) && real_scalars == 1 && signature.attributes.size() == 1)
      score = 1;
    if (score > 0) options.push_back({a.name, score, 100 + i, false});
  }
  if (!is_integer_scalar(p)) return options;
  const std::size_t dims = signature.dims.size();
  for (std::size_t i = 0; i < dims; ++i) {
    const std::string dim = lower(signature.dims[i]);
    const bool row = i == 0 && dims == 2;
    const bool column = i == 1 && dims == 2;
    int score = 0;
    if (name == dim) {
      score = kExact;
    } else if (dims == 1 &&
               (is_size_like(name) || is_total_like(name) || is_column_like(name) || is_row_like(name))) {
      score = kStrong;
    } else if ((row && is_row_like(name)) || (column && is_column_like(name))) {
      score = kStrong;
    } else if ((row || column) && is_size_like(name)) {
      score = kWeak;
    }
    if (score > 0 || integer_scalars == dims) options.push_back({signature.dims[i], score, i, true});
  }
  if (dims > 1 && (is_total_like(name) || (is_size_like(name) && integer_scalars == 1))) {
    options.push_back({join(signature.dims, "*"), is_total_like(name) ? kStrong + kWeak : kWeak, 50, false});
  }
  return options;
}

std::string spelled(const Signature& s) {
  std::vector<std::string> in, out, scalars = s.dims;
  for (const auto& t : s.inputs) in.push_back(t.name);
  for (const auto& t : s.outputs) out.push_back(t.name);
  for (const auto& a : s.attributes) scalars.push_back(a.name);
  return fmt::format("{}: inputs {}; outputs {}; scalars {}", s.name, join(in, ", "), join(out, ", "),
                     join(scalars, ", "));
}

class Reader {
 public:
  Reader(const EntryPoint& entry, const Signature& signature) : entry_(entry), signature_(signature) {}

  Inference run() {
    arguments_.resize(entry_.parameters.size());
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
      const Parameter& p = entry_.parameters[i];
      if (is_stream_type(p.type) || (p.is_pointer && !p.dtype && plain(p.name).ends_with("stream"))) {
        arguments_[i].kind = Argument::Kind::stream;
      } else if (p.is_pointer) {
        pointers_.push_back(i);
      } else {
        scalars_.push_back(i);
      }
    }
    assign_tensors();
    if (!result_.obstacle.empty()) return std::move(result_);
    assign_scalars();
    if (result_.readings.size() > 1 && result_.obstacle.empty()) {
      result_.obstacle = "its parameters can be read in more than one way";
    }
    return std::move(result_);
  }

 private:
  const TensorSignature& tensor(std::size_t slot) const {
    const std::size_t inputs = signature_.inputs.size();
    return slot < inputs ? signature_.inputs[slot] : signature_.outputs[slot - inputs];
  }
  bool is_output(std::size_t slot) const { return slot >= signature_.inputs.size(); }

  void assign_tensors() {
    const std::size_t slots = signature_.inputs.size() + signature_.outputs.size();
    if (pointers_.size() != slots) {
      result_.obstacle =
          fmt::format("it takes {} pointer{}, the contract has {} tensor{} ({})", pointers_.size(),
                      pointers_.size() == 1 ? "" : "s", slots, slots == 1 ? "" : "s", spelled(signature_));
      return;
    }
    if (slots > kMostTensors) return assign_by_name(slots);
    const bool any_const = std::any_of(pointers_.begin(), pointers_.end(),
                                       [&](std::size_t i) { return entry_.parameters[i].is_const; });
    std::vector<std::size_t> order(slots);  // order[k]: the slot of pointer k
    std::iota(order.begin(), order.end(), 0);
    int best = -1000;
    std::string reason;
    do {
      int score = 0;
      std::string why;
      for (std::size_t k = 0; k < slots && why.empty(); ++k) {
        const Parameter& p = entry_.parameters[pointers_[k]];
        why = misfit(p, tensor(order[k]), is_output(order[k]));
        score += tensor_score(p, tensor(order[k]), is_output(order[k]), any_const);
      }
      if (why.empty()) {
        std::vector<Argument> arguments = arguments_;
        for (std::size_t k = 0; k < slots; ++k) {
          Argument& a = arguments[pointers_[k]];
          a.kind = is_output(order[k]) ? Argument::Kind::output : Argument::Kind::input;
          a.tensor = is_output(order[k]) ? order[k] - signature_.inputs.size() : order[k];
        }
        why = float_type(entry_, arguments, signature_).conflict;
        if (why.empty() && score >= best) {
          if (score > best) readings_.clear();
          best = score;
          readings_.push_back({std::move(arguments), order});
        }
      }
      if (reason.empty()) reason = why;
    } while (std::next_permutation(order.begin(), order.end()));
    if (readings_.empty()) {
      result_.obstacle = reason;
      return;
    }
    // Among equals keep those whose inputs, and whose outputs, come in the contract's order.
    std::vector<Reading> ordered;
    for (const Reading& r : readings_) {
      std::size_t last_input = 0, last_output = 0;
      bool in_order = true;
      for (const std::size_t slot : r.order) {
        std::size_t& last = is_output(slot) ? last_output : last_input;
        if (slot < last) in_order = false;
        last = slot;
      }
      if (in_order) ordered.push_back(r);
    }
    if (!ordered.empty()) readings_ = std::move(ordered);
  }

  void assign_by_name(std::size_t slots) {
    Reading reading{arguments_, {}};
    for (const std::size_t i : pointers_) {
      const Parameter& p = entry_.parameters[i];
      std::size_t slot = 0;
      while (slot < slots && tensor(slot).name != p.name) ++slot;
      if (slot == slots) {
        result_.obstacle =
            fmt::format("parameter `{} {}` has the name of no tensor; of {} tensors each must ({})", p.type,
                        p.name, slots, spelled(signature_));
        return;
      }
      result_.obstacle = misfit(p, tensor(slot), is_output(slot));
      if (!result_.obstacle.empty()) return;
      Argument& a = reading.arguments[i];
      a.kind = is_output(slot) ? Argument::Kind::output : Argument::Kind::input;
      a.tensor = is_output(slot) ? slot - signature_.inputs.size() : slot;
      reading.order.push_back(slot);
    }
    result_.obstacle = float_type(entry_, reading.arguments, signature_).conflict;
    if (result_.obstacle.empty()) readings_.push_back(std::move(reading));
  }

  void assign_scalars() {
    std::size_t integers = 0, reals = 0;
    for (const std::size_t i : scalars_) {
      const Parameter& p = entry_.parameters[i];
      if (!p.dtype) {
        result_.obstacle =
            fmt::format("parameter `{} {}` is of a type that a contract has no value for", p.type, p.name);
        return;
      }
      ++(is_integer_scalar(p) ? integers : reals);
    }
    std::vector<std::vector<Option>> options;
    for (const std::size_t i : scalars_) {
      const Parameter& p = entry_.parameters[i];
      options.push_back(scalar_options(p, signature_, integers, reals));
      if (!options.back().empty()) continue;
      result_.obstacle = fmt::format("nothing of the contract fits parameter `{} {}` ({})", p.type, p.name,
                                     spelled(signature_));
      // The choices, for the message.
      for (const std::string& dim : signature_.dims) options.back().push_back({dim, 0, 0, false});
      if (signature_.dims.size() > 1) options.back().push_back({join(signature_.dims, "*"), 0, 0, false});
    }
    std::vector<const Option*> chosen(scalars_.size());
    std::vector<std::vector<const Option*>> best;
    int best_score = -1;
    const std::function<void(std::size_t, int)> choose = [&](std::size_t k, int score) {
      if (k == scalars_.size()) {
        if (score < best_score) return;
        if (score > best_score) best.clear();
        best_score = score;
        best.push_back(chosen);
        return;
      }
      for (const Option& option : options[k]) {
        const bool taken =
            option.is_dim && std::any_of(chosen.begin(), chosen.begin() + static_cast<long>(k),
                                         [&](const Option* o) { return o->expression == option.expression; });
        if (taken) continue;
        chosen[k] = &option;
        choose(k + 1, score + option.score);
      }
    };
    choose(0, 0);
    if (scalars_.size() > 1 && best.size() > 1) {  // among equals, the contract's order
      std::vector<std::vector<const Option*>> ordered;
      for (const auto& b : best) {
        if (std::is_sorted(b.begin(), b.end(),
                           [](const Option* x, const Option* y) { return x->rank < y->rank; })) {
          ordered.push_back(b);
        }
      }
      if (!ordered.empty()) best = std::move(ordered);
    }
    constexpr std::size_t kMostReadings = 8;
    for (const Reading& reading : readings_) {
      for (const auto& scalars : best) {
        if (result_.readings.size() == kMostReadings) return;
        std::vector<Argument> arguments = reading.arguments;
        for (std::size_t k = 0; k < scalars_.size(); ++k) {
          arguments[scalars_[k]].kind = Argument::Kind::expression;
          arguments[scalars_[k]].expression = scalars[k]->expression;
        }
        result_.readings.push_back(std::move(arguments));
      }
    }
    if (result_.readings.empty() && result_.obstacle.empty()) {
      result_.obstacle =
          fmt::format("two of its integers would be the same dimension ({})", spelled(signature_));
    }
  }

  struct Reading {
    std::vector<Argument> arguments;
    std::vector<std::size_t> order;
  };
  const EntryPoint& entry_;
  const Signature& signature_;
  std::vector<std::size_t> pointers_, scalars_;  // by parameter
  std::vector<Argument> arguments_;
  std::vector<Reading> readings_;
  Inference result_;
};

}  // namespace

std::string misfit(const Parameter& p, const TensorSignature& tensor, bool is_output) {
  if (is_output && p.is_const)
    return fmt::format("`{} {}` is const and cannot be the output {}", p.type, p.name, tensor.name);
  if (!p.dtype) {
    if (p.type.find("void") != std::string::npos) return {};
    return fmt::format("`{} {}` points to a type that Assay has no dtype for", p.type, p.name);
  }
  switch (tensor.type.kind) {
    case ElementType::Kind::floating:
      if (is_float(*p.dtype)) return {};
      return fmt::format("`{} {}` points to {}, {} is of a float type", p.type, p.name, name(*p.dtype),
                         tensor.name);
    case ElementType::Kind::index:
      if (*p.dtype == DType::i32 || *p.dtype == DType::i64) return {};
      return fmt::format("`{} {}` points to {}, {} is of indices (int or int64_t)", p.type, p.name,
                         name(*p.dtype), tensor.name);
    case ElementType::Kind::fixed:
      break;
  }
  // Indices and counts may be int or int64_t; a byte may be the storage of what has 8 bits, and truth values
  // are kept in any byte.
  const auto is_wide = [](DType d) { return d == DType::i32 || d == DType::i64; };
  const bool integers = is_wide(*p.dtype) && is_wide(tensor.type.fixed);
  const bool storage =
      *p.dtype == DType::boolean && is_float(tensor.type.fixed) && size_of(tensor.type.fixed) == 1;
  const bool truth = *p.dtype == DType::i8 && tensor.type.fixed == DType::boolean;
  if (*p.dtype == tensor.type.fixed || integers || storage || truth) return {};
  return fmt::format("`{} {}` points to {}, {} is of {}", p.type, p.name, name(*p.dtype), tensor.name,
                     name(tensor.type.fixed));
}

FloatType float_type(const EntryPoint& entry, const std::vector<Argument>& arguments,
                     const Signature& signature) {
  FloatType result;
  const TensorSignature* first = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = arguments[i];
    if (a.kind != Argument::Kind::input && a.kind != Argument::Kind::output) continue;
    const TensorSignature& t =
        a.kind == Argument::Kind::input ? signature.inputs[a.tensor] : signature.outputs[a.tensor];
    const auto dtype = entry.parameters[i].dtype;
    if (t.type.kind != ElementType::Kind::floating || !dtype) continue;
    if (result.dtype && *result.dtype != *dtype) {
      result.conflict = fmt::format("it takes {} for {} and {} for {}, which the contract gives one dtype",
                                    name(*result.dtype), first->name, name(*dtype), t.name);
    }
    result.dtype = dtype;
    first = &t;
  }
  return result;
}

Inference infer(const EntryPoint& entry, const Signature& signature) {
  return Reader(entry, signature).run();
}

}  // namespace assay
