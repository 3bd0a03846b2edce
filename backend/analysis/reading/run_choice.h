// Which run of several is asked about, where the newest is not.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

struct RunChoice {
  // Of the job of the newest stream.
  std::optional<std::uint32_t> attempt = std::nullopt;
};

// Leaves out the streams of other attempts and jobs. An Error names the
// attempts that there are instead.
Result<TraceSet> chooseRun(TraceSet set, const RunChoice& choice);

}  // namespace traced
