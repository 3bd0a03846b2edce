#include "analysis/whatif/suspects.h"

#include <algorithm>

#include "analysis/statistics/median.h"
#include "analysis/whatif/event_times.h"

namespace traced::whatif {
namespace {

constexpr std::size_t kMaxAlike = 128;
constexpr double kTypicalPart = 0.25;

Extra extraOf(const std::vector<StepComputing>& steps) {
  Extra extra;
  double squares = 0;
  for (const StepComputing& step : steps) {
    const double extra_ns = step.extraNs();
    extra.all_ns += extra_ns;
    squares += extra_ns * extra_ns;
  }
  if (extra.all_ns > 0) extra.typical_ns = squares / extra.all_ns;
  return extra;
}

// Times of a damaged trace may be out of range.
std::int64_t toInt64(double ns) {
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::clamp(ns, -kMost, kMost));
}

// Returns when a rank computed in the sections for which `is_long` is true.
std::vector<TimeWindow> computingIn(const std::vector<bool>& is_long,
                                    const ReplayJob& job,
                                    const RankEvents& rank) {
  std::vector<TimeWindow> windows;
  std::size_t section = 0;
  visitTimes(job, rank, [&](std::size_t i, const Event&, EventTime time) {
    while (i >= rank.endOf(rank.sections, section)) ++section;
    if (!is_long[section] || time.at_ns <= time.after_ns) return;
    windows.push_back({toInt64(time.after_ns), toInt64(time.at_ns)});
  });
  unite(windows);
  return windows;
}

// See longStepsOf().
LongSteps longStepsOfRank(const ReplayJob& job, const RankEvents& rank,
                          const std::vector<StepComputing>& steps,
                          bool with_computing) {
  LongSteps result;
  result.rank = rank.rank;
  result.extra = extraOf(steps);
  std::vector<double> extras;
  std::vector<bool> is_long(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    result.with_peers += steps[i].peers_ns >= 0;
    const double extra_ns = steps[i].extraNs();
    result.longer += extra_ns > 0;
    if (extra_ns == 0) continue;
    if (extra_ns < kTypicalPart * result.extra.typical_ns) continue;
    result.steps.push_back(rank.sections[i].number);
    result.extra_ns += extra_ns;
    is_long[i] = true;
    result.in_later_half |= 2 * i >= steps.size();
    extras.push_back(extra_ns);
  }
  result.median_ns = median(std::move(extras));
  if (with_computing) result.computing = computingIn(is_long, job, rank);
  return result;
}

}  // namespace

Suspects findSuspects(const ReplayJob& job, const PeerGaps& gaps) {
  Suspects suspects;
  for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
    std::size_t with_peers = 0;
    for (const StepComputing& step : gaps.steps[i]) {
      with_peers += step.peers_ns >= 0;
    }
    if (with_peers == 0 || 2 * with_peers < gaps.steps[i].size()) {
      suspects.without_peers.push_back(job.ranks[i].rank);
    } else {
      suspects.ranks.push_back({i, extraOf(gaps.steps[i]).all_ns});
    }
  }
  std::stable_sort(suspects.ranks.begin(), suspects.ranks.end(),
                   [](const Suspect& a, const Suspect& b) {
                     return a.extra_ns > b.extra_ns;
                   });
  for (const Suspect& each : suspects.ranks) {
    if (each.extra_ns == 0 ||
        2 * each.extra_ns < suspects.ranks.front().extra_ns) {
      break;
    }
    suspects.alike.push_back(each.rank);
  }
  const std::size_t alike = suspects.alike.size();
  if (alike == 1 || alike > kMaxAlike) suspects.alike.clear();
  std::sort(suspects.alike.begin(), suspects.alike.end());
  return suspects;
}

std::vector<LongSteps> longStepsOf(const ReplayJob& job, const PeerGaps& gaps,
                                   const std::vector<std::uint32_t>& ranks,
                                   bool with_computing) {
  Extra others;
  for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
    if (std::find(ranks.begin(), ranks.end(), i) != ranks.end()) continue;
    const Extra other = extraOf(gaps.steps[i]);
    others.all_ns = std::max(others.all_ns, other.all_ns);
    others.typical_ns = std::max(others.typical_ns, other.typical_ns);
  }
  std::vector<LongSteps> all;
  for (const std::uint32_t rank : ranks) {
    all.push_back(longStepsOfRank(job, job.ranks[rank], gaps.steps[rank],
                                  with_computing));
    all.back().of_others = others;
  }
  return all;
}

}  // namespace traced::whatif
