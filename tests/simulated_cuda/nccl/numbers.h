// NCCL's data types and reductions.

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

// Returns the size of one element in bytes.
size_t sizeOf(ncclDataType_t type);

// A reduction operator. `factor` multiplies each contribution first
// (ncclRedOpCreatePreMulSum); it is 1 for all other operators.
struct Reduction {
  ncclDataType_t type;
  int op;
  double factor;
};

// Reduces in the order of the ranks, so that all ranks get the same bits.
void reduce(const Reduction& how, void* out,
            const std::vector<const char*>& contributions, size_t count);

}  // namespace simulated
