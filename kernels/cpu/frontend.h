#pragma once

// From CUDA C++ to C++: the text of a .cu file rewritten so that clang compiles it for the host against
// kernels/cpu/include.
//
// Only what C++ cannot parse or would misread is changed, token by token:
//   K<T><<<grid, block, shared, stream>>>(args)   becomes a call of the runtime's launcher
//   extern __shared__ T name[];                   becomes a reference to the block's dynamic shared memory
//   static __shared__                             becomes __shared__
//   __shared__ T name[n];                         is followed by a check of how much its function declares
//   __launch_bounds__(n)                          puts a check of the launch into the kernel
//   while (...), for (;;) with something volatile  let other threads run now and then
//   asm("mov.u32 %0, %%laneid;" : "=r"(x));       becomes a call of a function, or a refusal that names it
//   template static inline void f<float>(...);    loses static and inline, which nvcc ignores there
//   __clang__, __has_feature, ...                 become a name that nobody defines, as for nvcc
//   __noinline__                                  becomes an attribute (as a macro it would break libstdc++)
//
// Laws: the number of lines is kept, and each token stays on its line, so the compiler's messages, sanitizer
// reports and coverage name the user's own file and line. Comments and literals are never changed.

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay::cpu {

// `path` is for messages only. The error is of kind usage and names line and construct (an unclosed launch,
// more than four configuration values).
Expected<std::string> rewrite(std::string_view source, std::string_view path);

}  // namespace assay::cpu
