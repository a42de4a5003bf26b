#pragma once

// What K<<<grid, block, shared, stream>>>(args) becomes: launch_any(lambda that calls K, "K")(config)(args).
// The arguments are evaluated once, here, and each thread gets copies.

#include <utility>

#include "host.h"
#include "interface.h"

namespace assay::cpu {

// A literal 0, NULL or nullptr among a launch's arguments: whatever the parameter is.
struct Null {
  template <class T>
  operator T*() const {
    return nullptr;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  operator T() const {
    return T(0);
  }
};

template <class... T>
struct Values;
template <>
struct Values<> {
  template <class F, class... Before>
  void apply(F& f, Before&... before) {
    f(before...);
  }
};
template <class T, class... Rest>
struct Values<T, Rest...> {
  T first;
  Values<Rest...> rest;
  template <class F, class... Before>
  void apply(F& f, Before&... before) {
    rest.apply(f, before..., first);
  }
};

template <class F, class... T>
struct Closure {
  F& kernel;
  Values<T...> arguments;
  static void thread(void* self) {
    Closure& closure = *static_cast<Closure*>(self);
    closure.arguments.apply(closure.kernel);
  }
};

inline Values<> values() {
  return {};
}
template <class T, class... Rest>
Values<T, Rest...> values(T& first, Rest&... rest) {
  return {std::move(first), cpu::values(rest...)};
}

template <class F>
struct AnyLaunch {
  F& kernel;
  Shape shape;
  template <class... A>
  void operator()(A... arguments) {
    Closure<F, A...> closure{kernel, cpu::values(arguments...)};
    cpu::launch(shape, &Closure<F, A...>::thread, &closure);
  }
};

template <class... P>
struct TypedLaunch {
  void (*kernel)(P...);
  Shape shape;
  int operator()(P... arguments) {
    Closure<void (*)(P...), std::remove_cvref_t<P>...> closure{kernel, cpu::values(arguments...)};
    return cpu::launch(shape, &decltype(closure)::thread, &closure);
  }
};

struct Name {
  const char* kernel;
  const char* file;
  int line;
};

inline Shape shape_of(const Name& name, const void* function, dim3 grid, dim3 block, size_t shared,
                      void* stream) {
  return {grid, block, shared, stream, name.kernel, function, name.file, name.line, false};
}

template <class F>
struct AnyConfig {
  F kernel;
  Name name;
  AnyLaunch<F> operator()(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    return {kernel, shape_of(name, nullptr, grid, block, shared, stream)};
  }
};
template <class F>
AnyConfig<F> launch_any(F kernel, const char* name, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  return {kernel, {name, file, line}};
}

template <class... P>
struct TypedConfig {
  void (*kernel)(P...);
  Name name;
  TypedLaunch<P...> operator()(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    return {kernel, shape_of(name, reinterpret_cast<const void*>(kernel), grid, block, shared, stream)};
  }
};
template <class... P>
TypedConfig<P...> launch_typed(void (*kernel)(P...), const char* name, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  return {kernel, {name, file, line}};
}

template <class... P, size_t... I>
int launch_packed(const Shape& shape, void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  return TypedLaunch<P...>{kernel, shape}(*static_cast<std::remove_cvref_t<P>*>(arguments[I])...);
}

}  // namespace assay::cpu

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  const auto shape = assay::cpu::shape_of({"cudaLaunchKernel", file, line},
                                          reinterpret_cast<const void*>(kernel), grid, block, shared, stream);
  return static_cast<cudaError_t>(
      assay::cpu::launch_packed(shape, kernel, arguments, std::index_sequence_for<P...>{}));
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr,
                                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  auto shape = assay::cpu::shape_of({"cudaLaunchCooperativeKernel", file, line},
                                    reinterpret_cast<const void*>(kernel), grid, block, shared, stream);
  shape.cooperative = true;
  return static_cast<cudaError_t>(
      assay::cpu::launch_packed(shape, kernel, arguments, std::index_sequence_for<P...>{}));
}
