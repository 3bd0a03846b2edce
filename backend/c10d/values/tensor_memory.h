// Reads the memory of tensors. Dispatches no torch operation.

#pragma once

#include <cstdint>
#include <optional>

#include "base/examined.h"
#include "c10d/values/tensor_parts.h"
#include "values/signed_sum.h"
#include "values/statistics.h"

namespace traced {

// The memory from a tensor's first element to its last one.
struct TensorSpan {
  SkipReason skipped = SkipReason::kNone;
  const char* first = nullptr;
  std::size_t bytes = 0;
};
// `where`: the type of device that holds readable tensors.
TensorSpan spanOf(const at::Tensor& tensor, at::DeviceType where);

struct PartHash {
  SkipReason skipped = SkipReason::kNone;
  std::uint64_t hash = 0;
  // Absent unless asked for, and of types without one.
  std::optional<SignedSum> sum = std::nullopt;
};
// Hashes a part of a contiguous tensor. Backends disagree on the order in which
// they transfer other ones, so these are skipped. May throw.
PartHash hashOf(const TensorPart& part, bool with_sum = false);
// Hashes a whole tensor, in the order of memory if its elements fill
// consecutive memory, else in row-major order. May throw.
PartHash hashOf(const at::Tensor& tensor);

struct TensorStatistics {
  SkipReason skipped = SkipReason::kNone;
  Statistics statistics;
};
// Summarizes a whole tensor. May throw.
TensorStatistics statisticsOf(const TensorPart& whole);

// Returns the bytes of the elements of a part.
std::uint64_t byteSize(const TensorPart& part);

}  // namespace traced
