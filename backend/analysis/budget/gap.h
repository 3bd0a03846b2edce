// What keeps a run from being judged: something of it is not there.

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
    // There is no trace of the ranks in `text`; the job had `count` ranks.
    kRanks,
    // No trace could be read.
    kAllRanks,
    // `count` bytes of the inputs.
    kBytes,
    // `count` operations: left out by TRACED_SCOPE, failed, of too many kinds.
    kOutOfScope,
    kFailed,
    kKinds,
    // In steps `text`, "" being all: marks, recording, operations.
    kMarks,
    kRecording,
    kOperations,
  };

  What what = What::kWorldSize;
  std::uint64_t count = 0;
  std::string text;
  std::vector<std::uint32_t> ranks;
};

// A process that did not end in order. Without `end` it was killed, and only
// the recovery of its records shows that.
struct BrokenOff {
  std::uint32_t rank = 0;
  std::optional<ProcessEnd> end;
};

// A warning about the inputs, in words.
struct InputWarning {
  std::string text;
};

using Gap =
    std::variant<MissingPart, Loss, ClockWarning, BrokenOff, InputWarning>;

}  // namespace traced
