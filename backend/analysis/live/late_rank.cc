#include "analysis/live/late_rank.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

// Thresholds of the straggler rule (docs/reference/diagnosis.md): share of all
// waiting, share in each quarter, share of the time, and minimum mean delay and
// count.
constexpr double kOfAllWaiting = 0.85;
constexpr double kOfAQuarter = 0.7;
constexpr double kOfTheTime = 0.1;
constexpr std::uint64_t kNoticeableNs = 1'000'000;
constexpr std::uint64_t kMinTimes = 3;
// The condition ends at less than half of the share of time at which it began.
constexpr double kOfTheTimeAtEnd = kOfTheTime / 2;

}  // namespace

void LateRank::add(std::uint32_t rank, std::uint64_t behind_ns) {
  Waited& waited = current_.ranks[rank];
  ++waited.times;
  waited.ns += behind_ns;
}

void LateRank::update(std::int64_t now_ns, bool starved) {
  if (starved) {
    quarters_.clear();
    late_.reset();
  }
  if (starved || current_.begin_ns == 0) {
    current_ = {};
    current_.begin_ns = now_ns;
    return;
  }
  if (now_ns - current_.begin_ns < kQuarterNs) return;
  current_.end_ns = now_ns;
  quarters_.push_back(std::exchange(current_, {}));
  current_.begin_ns = now_ns;
  if (quarters_.size() > kQuarters) quarters_.pop_front();
  if (const auto in_all = lateInAll()) {
    late_ = in_all;
  } else if (late_) {
    const auto still = lateIn(quarters_.back(), kOfAQuarter, kOfTheTimeAtEnd);
    if (!still || still->rank != late_->rank) late_.reset();
  }
}

std::optional<LateRank::Late> LateRank::lateIn(const Quarter& quarter,
                                               double of_waiting,
                                               double of_time) {
  std::uint64_t all_ns = 0;
  auto most = quarter.ranks.end();
  for (auto rank = quarter.ranks.begin(); rank != quarter.ranks.end(); ++rank) {
    all_ns += rank->second.ns;
    if (most == quarter.ranks.end() || rank->second.ns > most->second.ns) {
      most = rank;
    }
  }
  const auto span_ns = static_cast<double>(quarter.end_ns - quarter.begin_ns);
  if (most == quarter.ranks.end() || most->second.times < kMinTimes ||
      most->second.ns < kNoticeableNs * most->second.times || span_ns <= 0) {
    return std::nullopt;
  }
  const auto ns = static_cast<double>(most->second.ns);
  const Late late{most->first, ns / static_cast<double>(all_ns), ns / span_ns};
  if (late.of_waiting < of_waiting || late.of_time < of_time) {
    return std::nullopt;
  }
  return late;
}

std::optional<LateRank::Late> LateRank::lateInAll() const {
  if (quarters_.size() < kQuarters) return std::nullopt;
  Quarter window;
  window.begin_ns = quarters_.front().begin_ns;
  window.end_ns = quarters_.back().end_ns;
  for (const Quarter& quarter : quarters_) {
    for (const auto& [rank, waited] : quarter.ranks) {
      window.ranks[rank].times += waited.times;
      window.ranks[rank].ns += waited.ns;
    }
  }
  const auto late = lateIn(window, kOfAllWaiting, kOfTheTime);
  if (!late) return std::nullopt;
  const bool in_each = std::all_of(
      quarters_.begin(), quarters_.end(), [&](const Quarter& quarter) {
        const auto of_quarter = lateIn(quarter, kOfAQuarter, kOfTheTimeAtEnd);
        return of_quarter && of_quarter->rank == late->rank;
      });
  return in_each ? late : std::nullopt;
}

}  // namespace traced
