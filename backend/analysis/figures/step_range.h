// StepRange is a range of training steps as users write it: "10-49", or "all"
// for the whole recording.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/result.h"

namespace traced {

class StepRange {
 public:
  // Covers the whole recording, including calls before the first step.
  StepRange() = default;
  StepRange(std::uint64_t first, std::uint64_t last)
      : all_(false), first_(first), last_(last) {}

  // Parses "10-49", "10" or "all".
  static Result<StepRange> parse(const std::string& text);

  bool all() const { return all_; }
  // Valid only if !all().
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  // Returns the number of steps minus one: the number itself may overflow.
  std::uint64_t sizeMinus1() const { return last_ - first_; }

  bool holds(std::uint64_t step) const {
    return all_ || (first_ <= step && step <= last_);
  }
  // `step` is absent for calls before the first step.
  bool holds(const std::optional<std::uint64_t>& step) const {
    return all_ || (step && holds(*step));
  }
  std::string text() const;

  bool operator==(const StepRange&) const = default;

 private:
  bool all_ = true;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace traced
