// Determines when a stream ended, and how precisely ends and starts can be
// compared.

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
  // The stream was closed or recovered: nothing follows.
  bool is_last = false;
  // The process took part in several starts of the job.
  bool several_starts = false;
};

// Returns how long the process may have lived past the recorded end. A process
// that waits for others records nothing.
std::int64_t silenceNs(const TraceStream& stream, const StreamEnd& end);

// StreamEnds finds the ends of a set's streams and caches them. Not thread
// safe.
class StreamEnds {
 public:
  explicit StreamEnds(const TraceSet& set) : loader_(set) {}

  // Returns the end according to the last chunk, or nullopt if that is
  // unreadable or has no anchor.
  const std::optional<StreamEnd>& of(const TraceStream& stream);

 private:
  StreamLoader loader_;
  absl::flat_hash_map<const TraceStream*, std::optional<StreamEnd>> known_;
};

// Margin between an end and the next start. A rank that fails at once may end
// before a slow one begins. Two starts are further apart, as loading torch
// takes longer.
inline constexpr std::int64_t kStartMarginNs = 1'000'000'000;
// Maximum difference between the wall clocks of two hosts.
inline constexpr std::int64_t kWallMarginNs = 60'000'000'000;

}  // namespace traced
