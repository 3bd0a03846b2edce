// Reads the elements of a tensor in order, wherever they are in memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace traced {

struct StridedMemory {
  const char* first = nullptr;  // the first element
  std::size_t element_bytes = 0;
  // Sizes and strides, outermost dimension first. Strides are in elements.
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
};

// Visits consecutive memory whose pieces, one after the other, are the elements
// in row-major order. A piece has whole elements. Elements with small strides
// are copied first.
void forEachPiece(
    const StridedMemory& memory,
    const std::function<void(const char* piece, std::size_t bytes)>& visit);

}  // namespace traced
