// NCCL's data types, and how they are reduced.

#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace simulated {

struct Bfloat16 {
  std::uint16_t bits;

  explicit operator float() const {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  static Bfloat16 of(float value) {
    std::uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    const std::uint32_t rounding = 0x7fff + ((wide >> 16) & 1);
    return {static_cast<std::uint16_t>((wide + rounding) >> 16)};
  }
};

// Of one element.
size_t sizeOf(ncclDataType_t type);

// How ranks' contributions become one. `factor` multiplies each before
// (ncclRedOpCreatePreMulSum); it is 1 for others.
struct Reduction {
  ncclDataType_t type;
  int op;
  double factor;
};

// In the order of the ranks, so that all of them get the same bits.
void reduce(const Reduction& how, void* out,
            const std::vector<const char*>& contributions, size_t count);

}  // namespace simulated
