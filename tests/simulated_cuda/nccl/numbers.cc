#include "nccl/numbers.h"

#include <algorithm>

namespace simulated {
namespace {

template <typename T, typename Wide>
struct Element {
  static Wide load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<Wide>(value);
  }
  static void store(char* to, Wide wide) {
    T value;
    if constexpr (std::is_same_v<T, Bfloat16>) {
      value = Bfloat16::of(wide);
    } else {
      value = static_cast<T>(wide);
    }
    std::memcpy(to, &value, sizeof value);
  }
};

template <typename Wide>
Wide combine(int op, Wide a, Wide b) {
  switch (op) {
    case ncclProd:
      return a * b;
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return a + b;
  }
}

template <typename T, typename Wide>
void reduceAs(const Reduction& how, char* out,
              const std::vector<const char*>& from, size_t count) {
  using E = Element<T, Wide>;
  const auto factor = static_cast<Wide>(how.factor);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * sizeof(T);
    Wide all = E::load(from[0] + at) * factor;
    for (size_t rank = 1; rank < from.size(); ++rank) {
      all = combine<Wide>(how.op, all, E::load(from[rank] + at) * factor);
    }
    if (how.op == ncclAvg) all = all / static_cast<Wide>(from.size());
    E::store(out + at, all);
  }
}

}  // namespace

size_t sizeOf(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}

void reduce(const Reduction& how, void* to, const std::vector<const char*>& in,
            size_t count) {
  char* out = static_cast<char*>(to);
  switch (how.type) {
    case ncclInt8:
      return reduceAs<std::int8_t, std::int64_t>(how, out, in, count);
    case ncclInt32:
      return reduceAs<std::int32_t, std::int64_t>(how, out, in, count);
    case ncclUint32:
      return reduceAs<std::uint32_t, std::uint64_t>(how, out, in, count);
    case ncclInt64:
      return reduceAs<std::int64_t, std::int64_t>(how, out, in, count);
    case ncclUint64:
      return reduceAs<std::uint64_t, std::uint64_t>(how, out, in, count);
    case ncclFloat16:
      return reduceAs<_Float16, float>(how, out, in, count);
    case ncclBfloat16:
      return reduceAs<Bfloat16, float>(how, out, in, count);
    case ncclFloat32:
      return reduceAs<float, float>(how, out, in, count);
    case ncclFloat64:
      return reduceAs<double, double>(how, out, in, count);
    default:
      return reduceAs<std::uint8_t, std::uint64_t>(how, out, in, count);
  }
}

}  // namespace simulated
