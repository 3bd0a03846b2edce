// The critical path of a step: what the step's time consisted of, from its end
// backwards.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

struct PathPart {
  enum class What : std::uint8_t {
    // A rank computed before it called an operation, or waited for it.
    kComputing,
    // Data was transferred after the last rank was ready.
    kTransfer,
    // A wait lasted longer than the recorded operations explain.
    kUnexplained,
  };
  What what = What::kComputing;
  std::uint32_t rank = 0;  // of computing and unexplained time
  // The operation that computing preceded, or that transferred.
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  std::uint64_t bytes = 0;
  std::string group;
  double ns = 0;
};

struct CriticalPath {
  // Absent if the run has no steps: the path then is that of the whole run.
  std::optional<std::uint64_t> step;
  // Number of steps that all ranks have, 0 if the run has no steps.
  std::uint64_t steps = 0;
  double step_ns = 0;
  // Longest first. Sums up to at most `step_ns`.
  std::vector<PathPart> parts;
};

// Returns the path of the step with the median duration.
CriticalPath criticalPath(const ReplayJob& job);

}  // namespace traced::whatif
