// Reasons why a run cannot be judged.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/job/clock_warning.h"
#include "analysis/stream/losses.h"
#include "analysis/stream/process_end.h"

namespace traced {

struct MissingPart {
  enum class What : std::uint8_t {
    // The number of ranks is unknown.
    kWorldSize,
    // The ranks in `text` have no trace; the job had `count` ranks.
    kRanks,
    // No trace could be read.
    kAllRanks,
    // `count` bytes of the inputs could not be used.
    kBytes,
    // `count` operations were excluded by TRACED_SCOPE, failed, or exceeded the
    // limit on kinds of calls.
    kOutOfScope,
    kFailed,
    kKinds,
    // Step marks, recording or operations are missing in steps `text`; "" means
    // all steps.
    kMarks,
    kRecording,
    kOperations,
  };

  What what = What::kWorldSize;
  std::uint64_t count = 0;
  std::string text;
  std::vector<std::uint32_t> ranks;
};

// A process that did not end in order. `end` is absent if it was killed and
// only the recovery of its records shows that.
struct BrokenOff {
  std::uint32_t rank = 0;
  std::optional<ProcessEnd> end;
};

// A warning about the inputs, as text.
struct InputWarning {
  std::string text;
};

using Gap =
    std::variant<MissingPart, Loss, ClockWarning, BrokenOff, InputWarning>;

}  // namespace traced
