// What a Work says about its operation. Works of unknown engines may throw.

#pragma once

#include <optional>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace traced {

// Call after a wait that threw. Returns whether the operation has ended. If
// not, only the wait timed out, and the program may wait again.
inline bool endedByError(c10d::Work& work) noexcept {
  try {
    return work.isCompleted();
  } catch (...) {
    return true;
  }
}

// Call after the operation has ended. Returns nullopt if the engine cannot say
// whether it failed.
inline std::optional<bool> hasFailed(c10d::Work& work) noexcept {
  try {
    return !work.isSuccess();
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace traced
