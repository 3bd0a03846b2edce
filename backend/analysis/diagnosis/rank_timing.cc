#include "analysis/diagnosis/rank_timing.h"

#include <algorithm>

#include "analysis/clock_models.h"
#include "analysis/observed_end.h"

namespace traced {
namespace {

// Waits under way that are remembered; the oldest one counts as over.
constexpr std::size_t kMaxWaits = 64;

// Beyond it differences would not fit.
constexpr std::int64_t kLatestNs = std::int64_t{1} << 60;

bool fits(std::int64_t ns) { return -kLatestNs < ns && ns < kLatestNs; }

}  // namespace

RankTiming::RankTiming(const StreamTable& table, const v1::ClockModel& clock)
    : table_(table),
      clock_(clock),
      ready_(readyTimes(table)),
      engines_(table.definitions.groups().size()) {}

const ReadyTime& RankTiming::readyFor(const AssembledOperation& op) const {
  return ready_[static_cast<std::size_t>(&op - table_.operations.data())];
}

Timing RankTiming::message(const AssembledOperation& op) const {
  const ReadyTime& ready = readyFor(op);
  Timing timing = timed(op, (ready.at.known() ? ready.at : op.issued).ns());
  if (!ready.at.known()) timing.took_ns = Timing::kUnknown;
  return timing;
}

std::optional<Timing> RankTiming::collective(const AssembledOperation& op,
                                             std::uint32_t group) const {
  const Engine& engine = engines_[group];
  const std::int64_t issue_ns = op.issued.ns();
  const ReadyTime& ready = readyFor(op);
  const bool queues = ready.earliest.known() && !op.started.known();
  Instant latest = ready.latest;
  // No rank has ended what it was not ready for.
  if (queues && op.ended.known() && !op.failed &&
      (!latest.known() || latest.isAfter(op.ended))) {
    latest = op.ended;
  }
  if (queues && !latest.known()) return std::nullopt;
  if (!latest.known()) latest = op.issued;
  Timing timing = timed(op, latest.ns());
  if (ready.earliest.known()) {
    timing.early_ns = std::clamp(
        timing.ready_ns - clampedNs(ready.earliest.ns()), std::int64_t{0},
        kLatestNs);
  }
  const bool queued = queues && latest.isAfter(op.issued);
  if (!ready.earliest.known() || queued) timing.took_ns = Timing::kUnknown;
  timing.held_up_ns = waits_ns_ - engine.own_waits_ns - engine.other_waits_ns;
  std::int64_t released_ns = engine.released_ns;
  for (const Wait& wait : waits_) {
    if (wait.end_ns > issue_ns) continue;
    if (wait.group != group) {
      timing.held_up_ns += wait.ns;
    } else if (wait.to_the_end) {
      released_ns = std::max(released_ns, wait.end_ns);
    }
  }
  if (released_ns != kNever) timing.released_ns = clampedNs(released_ns);
  return timing;
}

std::int64_t RankTiming::clampedNs(std::int64_t own_ns) const {
  return std::clamp(commonNs(clock_, own_ns), -kLatestNs, kLatestNs);
}

Timing RankTiming::timed(const AssembledOperation& op,
                         std::int64_t ready_ns) const {
  Timing timing;
  timing.seq = op.seq;
  timing.ready_ns = clampedNs(ready_ns);
  const auto certified = certifiedNs(clock_, ready_ns);
  if (certified && fits(certified->low_ns) && fits(certified->high_ns)) {
    timing.uncertain_ns =
        std::clamp(std::max(certified->high_ns - timing.ready_ns,
                            timing.ready_ns - certified->low_ns),
                   std::int64_t{0}, Timing::kUncertain);
  }
  if (op.failed || !op.ended.known() || !fits(op.ended.ns()) ||
      !fits(ready_ns) || op.ended.ns() < ready_ns) {
    return timing;
  }
  timing.took_ns = op.ended.ns() - ready_ns;
  if (const Instant watched = watchedSince(op); watched.known()) {
    timing.unseen_ns =
        std::clamp(watched.ns(), ready_ns, op.ended.ns()) - ready_ns;
  }
  return timing;
}

void RankTiming::done(const AssembledOperation& op, std::uint32_t group) {
  countWaits(op.issued.ns());
  if (group != kMessage) {
    Engine& engine = engines_[group];
    engine.other_waits_ns = waits_ns_ - engine.own_waits_ns;
  }
  if (!op.wait_began.known() || !op.wait_ended.known()) return;
  if (waits_.size() == kMaxWaits) {
    count(waits_.front());
    waits_.erase(waits_.begin());
  }
  const std::int64_t end_ns = op.wait_ended.ns();
  const bool sound = fits(end_ns) && fits(op.wait_began.ns());
  const bool to_the_end = op.ended.known() && op.ended.ns() <= end_ns;
  waits_.push_back({end_ns, sound ? end_ns - op.wait_began.ns() : 0, group,
                    sound && to_the_end});
}

void RankTiming::countWaits(std::int64_t until_ns) {
  std::erase_if(waits_, [&](const Wait& wait) {
    if (wait.end_ns > until_ns) return false;
    count(wait);
    return true;
  });
}

void RankTiming::count(const Wait& wait) {
  waits_ns_ += wait.ns;
  if (wait.group == kMessage) return;
  Engine& engine = engines_[wait.group];
  engine.own_waits_ns += wait.ns;
  if (wait.to_the_end) {
    engine.released_ns = std::max(engine.released_ns, wait.end_ns);
  }
}

}  // namespace traced
