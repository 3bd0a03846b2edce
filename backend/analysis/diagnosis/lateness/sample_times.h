// Reads the causes of lateness from one sample of a process's resources.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diagnosis/verdicts/facts/times.h"
#include "trace_io/row.h"

namespace traced {

// In ns. Absent if the sample does not tell.
struct SampleTime {
  // The time that counts as an explanation, and the most that it may have been.
  std::optional<std::uint64_t> ns;
  std::optional<std::uint64_t> at_most_ns;
};

// Returns the time of a cause. As an explanation, kStorage and kKernel have the
// same.
SampleTime timeOf(LateCause cause, const ResourceRow& sample);

}  // namespace traced
