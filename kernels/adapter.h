#pragma once

// The translation unit that makes a plug-in of a kernel: it includes the user's source and exports, for each
// binding k, `assay_entry_k`, which takes an array of tensors and an array of scalars (kernels/protocol.h,
// Entry) and casts each to the type that the entry declares.

#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace assay {

// `path` is what the #include names.
std::string adapter(const std::vector<Binding>& bindings, const Signature& signature,
                    const std::filesystem::path& path);

// The tensors that binding passes, in the order of the array: input i is slot i, output i follows the inputs.
// The scalars: by occurrence among the arguments.

}  // namespace assay
