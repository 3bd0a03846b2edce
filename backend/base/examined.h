// When a tensor of an operation was examined, and why not. The values equal
// those of trace.proto, which explains them.

#pragma once

#include <cstdint>

namespace traced {

enum class ExaminedAt : std::uint32_t {
  kIssue = 1,
  kInputEnd = 2,
  kEnd = 3,
};

enum class SkipReason : std::uint32_t {
  kNone = 0,
  kDevice = 1,
  kLayout = 2,
  kDtype = 3,
  kNoMemory = 4,
  kNotContiguous = 5,
  kNoEnd = 6,
  kFailed = 7,
  kTooMany = 8,
  kOutOfMemory = 9,
  kCaptured = 10,
  kNotCopied = 11,
};

// Returns whether a row of the trace was examined at this moment.
template <typename Row>
bool isAt(const Row& row, ExaminedAt at) {
  return row.at == static_cast<std::uint32_t>(at);
}

}  // namespace traced
