#include <algorithm>
#include <optional>

#include "analysis/diagnosis/job_state/job_state.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Converts the instants of an operation from its own clock to the common time
// line.
void putOnCommonTime(const ClockCursor& clock, OperationRef& ref) {
  ref.at_ns = clock.commonNs(ref.at_ns);
  for (auto* ns : {&ref.until_ns, &ref.failed_ns}) {
    if (*ns) *ns = clock.commonNs(**ns);
  }
}

void putOnCommonTime(const ClockCursor& clock,
                     std::optional<OperationRef>& ref) {
  if (ref) putOnCommonTime(clock, *ref);
}

void putOnCommonTime(const ClockCursor& clock,
                     std::optional<LocalFinding>& finding) {
  if (!finding) return;
  putOnCommonTime(clock, finding->operation);
  putOnCommonTime(clock, finding->other);
}

void putOnCommonTime(const ClockCursor& clock, RankState& rank) {
  for (std::int64_t* ns : {&rank.first_ns, &rank.last_ns, &rank.ended_ns}) {
    *ns = clock.commonNs(*ns);
  }
  if (rank.end_seen_ns) rank.end_seen_ns = clock.commonNs(*rank.end_seen_ns);
  for (auto* ref :
       {&rank.last_finished, &rank.first_failure, &rank.last_issued}) {
    putOnCommonTime(clock, *ref);
  }
  for (auto* refs : {&rank.inside, &rank.last_unseen}) {
    for (OperationRef& ref : *refs) putOnCommonTime(clock, ref);
  }
  for (GroupStop& stop : rank.stops) {
    stop.at_ns = clock.commonNs(stop.at_ns);
    putOnCommonTime(clock, stop.last);
  }
  putOnCommonTime(clock, rank.overlap);
  putOnCommonTime(clock, rank.never_waited);
  std::stable_sort(rank.inside.begin(), rank.inside.end(),
                   [](const OperationRef& a, const OperationRef& b) {
                     return a.at_ns < b.at_ns;
                   });
}

void putOnCommonTime(const ClockCursor& clock, Timing& timing) {
  const auto clamped = [&clock](std::int64_t own_ns) {
    return std::clamp(clock.commonNs(own_ns), -kLatestNs, kLatestNs);
  };
  const std::int64_t own_ns = timing.ready_ns;
  timing.ready_ns = clamped(own_ns);
  if (timing.early_ns != 0) {
    const std::int64_t earliest_ns =
        clamped(wrappingDifference(own_ns, timing.early_ns));
    timing.early_ns =
        std::clamp(timing.ready_ns - earliest_ns, std::int64_t{0}, kLatestNs);
  }
  const auto certified = clock.certifiedNs(own_ns);
  if (!certified || !differencesFit(certified->low_ns) ||
      !differencesFit(certified->high_ns)) {
    return;
  }
  timing.uncertain_ns =
      std::clamp(std::max(certified->high_ns - timing.ready_ns,
                          timing.ready_ns - certified->low_ns),
                 std::int64_t{0}, Timing::kUncertain);
}

// Finds the clock of a rank. Caches the last rank, because timings of one rank
// are mostly adjacent.
class ClockOfRank {
 public:
  ClockOfRank(absl::Span<const ClockCursor> clocks, const JobState& job)
      : clocks_(clocks), job_(job) {}

  const ClockCursor& of(std::uint32_t rank) {
    if (!last_ || last_->rank != rank) last_ = job_.rank(rank);
    return clocks_[static_cast<std::size_t>(last_ - job_.ranks.data())];
  }

 private:
  const absl::Span<const ClockCursor> clocks_;
  const JobState& job_;
  const RankState* last_ = nullptr;
};

}  // namespace

void putOnCommonTime(absl::Span<const ClockCursor> clocks, JobState& job) {
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    putOnCommonTime(clocks[i], job.ranks[i]);
  }
  ClockOfRank clock(clocks, job);
  const auto putAll = [&clock](Timings& timings) {
    for (Timing& timing : timings) {
      putOnCommonTime(clock.of(timing.rank), timing);
    }
  };
  for (GroupState& group : job.groups) putAll(group.timings);
  for (auto& [key, pair] : job.pairs) {
    putAll(pair->sends.timings());
    putAll(pair->receives.timings());
  }
}

}  // namespace traced
