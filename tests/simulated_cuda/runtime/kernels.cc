#include "runtime/kernels.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace simulated {
namespace {

// Arguments: the count, a FillFunctor<T>, an array of one pointer.
template <typename T>
Work fill(void** args) {
  const int count = *static_cast<int*>(args[0]);
  const T value = *static_cast<T*>(args[1]);
  T* to = *static_cast<T**>(args[2]);
  return [=] { std::fill_n(to, count, value); };
}

// Runs torch.cuda._sleep at 1 GHz.
Work spin(void** args) {
  const auto cycles = *static_cast<std::int64_t*>(args[0]);
  return [=] { sleepUs(static_cast<double>(cycles) / 1e3); };
}

}  // namespace

Work knownKernel(const char* mangled, void** args) {
  const std::string_view name = mangled;
  const auto has = [&](const char* part) {
    return name.find(part) != std::string_view::npos;
  };
  if (has("spin_kernel")) return spin(args);
  if (!has("vectorized_elementwise_kernel")) return nullptr;
  if (has("FillFunctorIfE")) return fill<float>(args);
  if (has("FillFunctorIdE")) return fill<double>(args);
  if (has("FillFunctorIlE")) return fill<std::int64_t>(args);
  if (has("FillFunctorIiE")) return fill<std::int32_t>(args);
  if (has("FillFunctorIsE")) return fill<std::int16_t>(args);
  if (has("FillFunctorIaE") || has("FillFunctorIhE") || has("FillFunctorIbE")) {
    return fill<std::int8_t>(args);
  }
  return nullptr;
}

}  // namespace simulated
