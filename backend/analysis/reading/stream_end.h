// When a stream was last known to go on, and how exactly it can be told that
// something came after something else.

#pragma once

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/reading/trace_set.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct StreamEnd {
  v1::ClockAnchor anchor;
  // It said so itself, or was recovered: nothing follows.
  bool is_last = false;
  // Its process took part in several starts of the job.
  bool several_starts = false;
};

// How long the stream may have gone on behind its end, though nothing is known
// of that: it had nothing to record while it waited for the others.
std::int64_t silenceNs(const TraceStream& stream, const StreamEnd& end);

// The ends of a set's streams, each read once.
class StreamEnds {
 public:
  explicit StreamEnds(const TraceSet& set) : loader_(set) {}

  // By its last chunk that can be read; absent where that tells no instant.
  const std::optional<StreamEnd>& of(const TraceStream& stream);

 private:
  StreamLoader loader_;
  absl::flat_hash_map<const TraceStream*, std::optional<StreamEnd>> known_;
};

// A rank that fails at once may be gone before a slow one begins; two starts
// are not that close, as a process takes longer to load torch.
inline constexpr std::int64_t kStartMarginNs = 1'000'000'000;
// By how much the wall clocks of two hosts may differ.
inline constexpr std::int64_t kWallMarginNs = 60'000'000'000;

}  // namespace traced
