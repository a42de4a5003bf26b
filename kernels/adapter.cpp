#include "kernels/adapter.h"

#include "core/text.h"

namespace assay {
namespace {

std::string value_of(const Parameter& p, const Argument& a, const Signature& signature, std::size_t& scalar) {
  switch (a.kind) {
    case Argument::Kind::input:
      return fmt::format("({})tensors[{}]", p.type, a.tensor);
    case Argument::Kind::output:
      return fmt::format("({})tensors[{}]", p.type, signature.inputs.size() + a.tensor);
    case Argument::Kind::stream:
      return fmt::format("({})stream", p.type);
    case Argument::Kind::null:
      return fmt::format("({})nullptr", p.type);
    case Argument::Kind::expression:
      break;
  }
  const bool real = p.dtype && is_float(*p.dtype);
  return fmt::format("assay_scalar<{}>(scalars[{}].{})", p.type, scalar++, real ? "real" : "integer");
}

}  // namespace

std::string adapter(const std::vector<Binding>& bindings, const Signature& signature,
                    const std::filesystem::path& path) {
  // Its own names come before the source: a macro there, T or Type, is no business of ours.
  std::string text = fmt::format(R"(namespace {{
struct AssayScalar {{
  long integer;
  double real;
}};
template <class T>
struct AssayPlain {{
  using Type = T;
}};
template <class T>
struct AssayPlain<T&> {{
  using Type = T;
}};
template <class T>
struct AssayPlain<const T> {{
  using Type = T;
}};
template <class T>
struct AssayPlain<const T&> {{
  using Type = T;
}};
template <class T, class V>
typename AssayPlain<T>::Type assay_scalar(V value) {{
  return typename AssayPlain<T>::Type(value);
}}
}}  // namespace
#include "{}"
)",
                                 path.string());
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    const Binding& b = bindings[k];
    std::vector<std::string> values;
    std::size_t scalar = 0;
    for (std::size_t i = 0; i < b.arguments.size(); ++i) {
      values.push_back(value_of(b.entry.parameters[i], b.arguments[i], signature, scalar));
    }
    // The code of a call: 0 is success. A bool means the opposite of an int.
    const std::string_view type = b.entry.return_type;
    const bool returns = type != "void";
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) int assay_entry_{}([[maybe_unused]] void* "
        "const* tensors, "
        "[[maybe_unused]] const AssayScalar* scalars, [[maybe_unused]] void* stream) {{\n  "
        "{}{}({}){};\n{}}}\n",
        k,
        type == "bool" ? "return !("
        : returns      ? "return (int)("
                       : "",
        b.entry.name, join(values, ", "), returns ? ")" : "", returns ? "" : "  return 0;\n");
  }
  return text;
}

}  // namespace assay
