// Matches the parameters of entry points to a contract.

#include <algorithm>
#include <cctype>
#include <map>

#include "core/text.h"
#include "kernels/expression.h"
#include "kernels/inference.h"
#include "kernels/kernel.h"
#include "kernels/types.h"

namespace assay {
namespace {

const std::vector<DType> kFloats = {DType::f32, DType::f16,  DType::bf16,
                                    DType::f64, DType::e4m3, DType::e5m2};

std::string declaration(const EntryPoint& entry) {
  std::vector<std::string> parameters;
  for (const Parameter& p : entry.parameters)
    parameters.push_back(p.name.empty() ? p.type : p.type + " " + p.name);
  return fmt::format("{} {}({})", entry.return_type, entry.name, join(parameters, ", "));
}

std::string arguments_text(const std::string& name, const std::vector<Argument>& arguments,
                           const Signature& signature) {
  std::vector<std::string> parts;
  for (const Argument& a : arguments) {
    switch (a.kind) {
      case Argument::Kind::input:
        parts.push_back(signature.inputs[a.tensor].name);
        break;
      case Argument::Kind::output:
        parts.push_back(signature.outputs[a.tensor].name);
        break;
      case Argument::Kind::expression:
        parts.push_back(a.expression);
        break;
      case Argument::Kind::stream:
        parts.emplace_back("stream");
        break;
      case Argument::Kind::null:
        parts.emplace_back("null");
        break;
    }
  }
  return fmt::format("{}({})", name, join(parts, ", "));
}

std::string names_of(const Signature& signature) {
  std::vector<std::string> names;
  for (const auto& t : signature.inputs) names.push_back(t.name);
  for (const auto& t : signature.outputs) names.push_back(t.name);
  names.insert(names.end(), signature.dims.begin(), signature.dims.end());
  for (const auto& a : signature.attributes) names.push_back(a.name);
  names.insert(names.end(), {"stream", "null"});
  return join(names, ", ");
}

std::vector<DType> dtypes_of(const EntryPoint& entry, const std::vector<Argument>& arguments,
                             const Signature& signature) {
  const FloatType type = float_type(entry, arguments, signature);
  return type.dtype ? std::vector{*type.dtype} : kFloats;
}

// "softmax_f16" and "softmax_f32" are one kernel for two dtypes.
std::string stem(std::string_view name) {
  for (const std::string_view suffix :
       {"_f32", "_fp32", "_float32", "_float", "_f16", "_fp16", "_float16", "_half", "_e4m3", "_e5m2",
        "_bf16", "_bfloat16", "_f64", "_fp64", "_double"}) {
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  }
  return std::string(name);
}

// --- the user's text --------------------------------------------------------------------------------

struct CallText {
  std::string name;
  std::vector<std::string> arguments;
};

Expected<CallText> parse_call(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) {
    return usage_error("--bind \"{}\": expected NAME(ARGUMENTS), such as \"solve(x, y, rows*cols)\"", text);
  }
  CallText call{std::string(trim(text.substr(0, open))), {}};
  int depth = 0;
  std::string current;
  for (const char c : text.substr(open + 1, text.size() - open - 2)) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return usage_error("--bind \"{}\": a `)` too many", text);
    if (c == ',' && depth == 0) {
      call.arguments.emplace_back(trim(current));
      current.clear();
    } else {
      current += c;
    }
  }
  if (depth != 0) return usage_error("--bind \"{}\": a `)` is missing", text);
  if (!trim(current).empty() || !call.arguments.empty()) call.arguments.emplace_back(trim(current));
  return call;
}

std::optional<std::size_t> find_tensor(const std::vector<TensorSignature>& tensors, std::string_view name) {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
  return it == tensors.end() ? std::nullopt : std::optional<std::size_t>(it - tensors.begin());
}

Expected<Argument> parse_argument(const std::string& text, const Parameter& p, const Signature& signature) {
  const std::string what = p.name.empty() ? p.type : p.type + " " + p.name;
  Argument a;
  if (text.empty()) return usage_error("is empty; `{}` needs a value", what);
  const auto input = find_tensor(signature.inputs, text);
  const auto output = find_tensor(signature.outputs, text);
  if (input || output) {
    if (!p.is_pointer) return usage_error("is a tensor, but the parameter `{}` is no pointer", what);
    a.kind = input ? Argument::Kind::input : Argument::Kind::output;
    a.tensor = input ? *input : *output;
    const std::string why = misfit(p, input ? signature.inputs[*input] : signature.outputs[*output], !input);
    if (!why.empty()) return usage_error("does not fit: {}", why);
    return a;
  }
  if (text == "null" || text == "nullptr" || text == "NULL") {
    if (!p.is_pointer && !is_stream_type(p.type)) return usage_error("is no value for `{}`", what);
    a.kind = Argument::Kind::null;
    return a;
  }
  if (text == "stream") {
    if (!p.is_pointer && !is_stream_type(p.type)) return usage_error("is no value for `{}`", what);
    a.kind = Argument::Kind::stream;
    return a;
  }
  auto expression = Expression::parse(text, signature);
  if (!expression) return tl::unexpected(expression.error());
  if (p.is_pointer) return usage_error("is a number, but the parameter `{}` is a pointer", what);
  if (!p.dtype)
    return usage_error("is a number, but the parameter is of type `{}`, which Assay does not know", p.type);
  if (!is_float(*p.dtype) && !expression->is_integral(signature)) {
    return usage_error("may be a fraction, but the parameter `{}` is an integer", what);
  }
  a.expression = text;
  return a;
}

Expected<Binding> bind_call(const CallText& call, const EntryPoint& entry, const Signature& signature) {
  if (call.arguments.size() != entry.parameters.size()) {
    return usage_error("{} arguments, but it takes {}", call.arguments.size(), entry.parameters.size());
  }
  Binding binding{entry, {}, {}};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    auto argument = parse_argument(call.arguments[i], entry.parameters[i], signature);
    if (!argument) {
      return usage_error("argument {}, `{}`, {}{}", i + 1, call.arguments[i],
                         argument.error().message.starts_with('`') ? "is not right: " : "",
                         argument.error().message);
    }
    binding.arguments.push_back(std::move(*argument));
  }
  for (const auto& output : signature.outputs) {
    const std::size_t index = static_cast<std::size_t>(&output - signature.outputs.data());
    const bool bound =
        std::any_of(binding.arguments.begin(), binding.arguments.end(),
                    [&](const Argument& a) { return a.kind == Argument::Kind::output && a.tensor == index; });
    if (!bound) return usage_error("the output {} is given to no parameter", output.name);
  }
  const FloatType type = float_type(entry, binding.arguments, signature);
  if (!type.conflict.empty()) return usage_error("{}", type.conflict);
  binding.dtypes = dtypes_of(entry, binding.arguments, signature);
  return binding;
}

Expected<std::vector<Binding>> bind_explicit(const KernelSource& source, const Signature& signature,
                                             std::string_view text) {
  auto call = parse_call(text);
  if (!call) return tl::unexpected(call.error());
  std::vector<std::string> known;
  std::vector<const EntryPoint*> overloads;
  for (const EntryPoint& e : source.entries) {
    known.push_back(e.name);
    if (e.name == call->name || e.name.ends_with("::" + call->name)) overloads.push_back(&e);
  }
  if (overloads.empty()) {
    return usage_error("--bind \"{}\": {} has no entry point `{}`{}", text, source.path.string(), call->name,
                       suggestion(call->name, known));
  }
  std::vector<Binding> bindings;
  std::string errors;
  for (const EntryPoint* entry : overloads) {
    auto binding = bind_call(*call, *entry, signature);
    if (binding) {
      bindings.push_back(std::move(*binding));
    } else {
      errors += fmt::format("\n  {}:{}: `{}`: {}", source.path.string(), entry->line, declaration(*entry),
                            binding.error().message);
    }
  }
  if (!bindings.empty()) return bindings;
  return usage_error("--bind \"{}\" does not fit:{}\n  an argument is one of {}, or arithmetic over the dims",
                     text, errors, names_of(signature));
}

// --- inferred ---------------------------------------------------------------------------------------

Expected<std::vector<Binding>> bind_inferred(const KernelSource& source, const Signature& signature) {
  std::map<std::string, std::vector<Binding>> fits;  // by stem of the name
  std::string failures;
  std::string candidates;
  for (const EntryPoint& entry : source.entries) {
    const Inference inference = infer(entry, signature);
    if (inference.readings.size() == 1 && inference.obstacle.empty()) {
      const auto& arguments = inference.readings[0];
      fits[stem(entry.name)].push_back({entry, arguments, dtypes_of(entry, arguments, signature)});
      continue;
    }
    failures += fmt::format("\n  {}:{}: `{}`: {}", source.path.string(), entry.line, declaration(entry),
                            inference.obstacle);
    for (const auto& arguments : inference.readings) {
      candidates += fmt::format("\n  --bind \"{}\"", arguments_text(entry.name, arguments, signature));
    }
  }
  if (fits.size() > 1) {  // a function with C linkage is meant to be called from outside
    std::map<std::string, std::vector<Binding>> exported;
    for (const auto& [name, bindings] : fits) {
      if (bindings[0].entry.c_linkage) exported.emplace(name, bindings);
    }
    if (exported.size() == 1) fits = std::move(exported);
  }
  if (fits.size() == 1) return fits.begin()->second;
  if (fits.size() > 1) {
    std::string choices;
    for (const auto& [name, bindings] : fits) {
      choices += fmt::format("\n  --bind \"{}\"", to_string(bindings[0], signature));
    }
    return usage_error("{}: several functions fit {}; say which with one of{}", source.path.string(),
                       signature.name, choices);
  }
  if (!candidates.empty()) {
    return usage_error("{}: cannot tell what the parameters are for {}:{}\nsay it with one of{}",
                       source.path.string(), signature.name, failures, candidates);
  }
  return usage_error(
      "{}: no entry point fits {}:{}\nsay what each parameter is with --bind \"NAME(ARGUMENTS)\"; an "
      "argument is "
      "one of {}, or arithmetic over the dims",
      source.path.string(), signature.name, failures, names_of(signature));
}

}  // namespace

Expected<std::vector<Binding>> bind(const KernelSource& source, const Signature& signature,
                                    std::string_view text, std::optional<DType> dtype) {
  auto bindings =
      trim(text).empty() ? bind_inferred(source, signature) : bind_explicit(source, signature, text);
  if (!bindings) return bindings;
  std::vector<Binding> result;
  std::vector<std::string> taken;
  for (Binding& b : *bindings) {
    for (const DType d : b.dtypes) taken.emplace_back(name(d));
    if (dtype) {
      if (std::find(b.dtypes.begin(), b.dtypes.end(), *dtype) == b.dtypes.end()) continue;
      b.dtypes = {*dtype};
    }
    const auto clash = std::find_if(result.begin(), result.end(),
                                    [&](const Binding& other) { return other.dtypes == b.dtypes; });
    if (clash != result.end()) {
      return usage_error(
          "{}: two functions take {}: lines {} and {}; say which with --bind \"{}\" or --bind \"{}\"",
          source.path.string(), name(b.dtypes[0]), clash->entry.line, b.entry.line,
          to_string(*clash, signature), to_string(b, signature));
    }
    result.push_back(std::move(b));
  }
  if (result.empty()) {
    return usage_error("{}: `{}` takes {}, not {}", source.path.string(), bindings->front().entry.name,
                       join(taken, ", "), name(*dtype));
  }
  return result;
}

std::string to_string(const Binding& binding, const Signature& signature) {
  return arguments_text(binding.entry.name, binding.arguments, signature);
}

}  // namespace assay
