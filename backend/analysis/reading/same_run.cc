#include "analysis/reading/same_run.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analysis/reading/stream_end.h"
#include "analysis/stream/clock_models.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

template <typename Value>
bool contradict(const Value& a, const Value& b) {
  return a != Value() && b != Value() && a != b;
}

// Returns whether `ns` is more than `by_ns` before `other_ns`. False if either
// is unknown (0).
bool isBefore(std::int64_t ns, std::int64_t other_ns, std::int64_t by_ns) {
  return ns != 0 && other_ns != 0 && wrappingDifference(other_ns, ns) > by_ns;
}

// Launchers of one start may report different attempts.
bool areOfOneStart(const v1::Rendezvous& a, const v1::Rendezvous& b) {
  return !a.start().empty() && a.start() == b.start();
}

// A launcher's run id together with a port that was free: no other run has
// both.
bool areKnownToHaveMet(const v1::Rendezvous& a, const v1::Rendezvous& b) {
  return a.port() != 0 && a.port() == b.port() && !a.run_id().empty() &&
         a.run_id() == b.run_id();
}

}  // namespace

bool haveOneName(const v1::Header& a, const v1::Header& b) {
  return a.job() == b.job() && a.world_size() == b.world_size() &&
         (a.attempt() == b.attempt() ||
          areOfOneStart(a.rendezvous(), b.rendezvous()));
}

bool metInOnePlace(const v1::Header& a, const v1::Header& b) {
  const v1::Rendezvous& one = a.rendezvous();
  const v1::Rendezvous& other = b.rendezvous();
  return !contradict(one.address(), other.address()) &&
         !contradict(one.port(), other.port()) &&
         !contradict(one.run_id(), other.run_id()) &&
         !contradict(one.start(), other.start());
}

bool hasRendezvous(const v1::Rendezvous& met) {
  return met.port() != 0 && (!met.address().empty() || !met.run_id().empty());
}

std::string rendezvousText(const v1::Header& header) {
  const v1::Rendezvous& met = header.rendezvous();
  std::string text = met.address();
  if (met.port() != 0) {
    absl::StrAppend(&text, text.empty() ? "port " : ":", met.port());
  }
  if (!met.run_id().empty() && met.run_id() != header.job()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", "run id ", met.run_id());
  }
  return text;
}

bool mayBeOneJob(const v1::Header& a, const v1::Header& b) {
  return a.job() == b.job() &&
         !contradict(a.rendezvous().run_id(), b.rendezvous().run_id());
}

bool beganBefore(const TraceStream& stream, const TraceStream& other) {
  const v1::ClockAnchor& one = stream.header.started();
  const v1::ClockAnchor& two = other.header.started();
  return clockNameOf(stream.header) == clockNameOf(other.header)
             ? isBefore(one.monotonic_ns(), two.monotonic_ns(), 0)
             : isBefore(one.realtime_ns(), two.realtime_ns(), kWallMarginNs);
}

bool wentOnBeside(const TraceStream& stream, const TraceStream& later,
                  StreamEnds& ends) {
  if (clockNameOf(stream.header) != clockNameOf(later.header)) return false;
  const std::optional<StreamEnd>& end = ends.of(stream);
  return end && isBefore(later.header.started().monotonic_ns(),
                         end->anchor.monotonic_ns(), 0);
}

RunStart::RunStart(const TraceSet& set, const std::vector<std::size_t>& streams,
                   std::size_t newest, StreamEnds& ends)
    : newest_(set.streams[newest].header), ends_(ends) {
  for (const std::size_t i : streams) {
    const v1::Header& header = set.streams[i].header;
    const std::int64_t ns = header.started().monotonic_ns();
    const auto [place, is_new] =
        latest_start_ns_.try_emplace(clockNameOf(header), ns);
    if (!is_new) place->second = std::max(place->second, ns);
  }
}

bool RunStart::isAfter(const TraceStream& stream) {
  const v1::Header& header = stream.header;
  const v1::Rendezvous& met = header.rendezvous();
  const v1::Rendezvous& own = newest_.rendezvous();
  if (&header == &newest_ || stream.ring == RingState::kAlive ||
      areOfOneStart(met, own) ||
      (!met.launcher().empty() && met.launcher() == own.launcher())) {
    return false;
  }
  const std::int64_t start_ns = latest_start_ns_.at(clockNameOf(header));
  const std::int64_t wall_start_ns = newest_.started().realtime_ns();
  // Wall clocks of hosts may be wrong by any amount.
  const bool by_wall = !areKnownToHaveMet(met, own);
  const auto precedes = [&](const v1::ClockAnchor& instant, std::int64_t ns) {
    return isBefore(instant.monotonic_ns(), start_ns, kStartMarginNs + ns) ||
           (by_wall &&
            isBefore(instant.realtime_ns(), wall_start_ns, kWallMarginNs + ns));
  };
  // The start alone decides for most streams, which then need not be read.
  if (!precedes(header.started(), 0)) return false;
  const std::optional<StreamEnd>& end = ends_.of(stream);
  return end && precedes(end->anchor, silenceNs(stream, *end));
}

}  // namespace traced
