// When a stream was last known to go on.

#pragma once

#include <optional>

#include "analysis/stream_loader.h"
#include "analysis/trace_set.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct StreamEnd {
  v1::ClockAnchor anchor;
  // It said so itself, or was recovered: nothing follows.
  bool is_last = false;
};

// By its last chunk that can be read; absent where that tells no instant.
std::optional<StreamEnd> endOf(const TraceStream& stream, StreamLoader& loader);

}  // namespace traced
