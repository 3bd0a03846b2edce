#include "analysis/whatif/changes.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/median.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/whatif/prediction.h"

namespace traced::whatif {
namespace {

// From so many peers on, only differences between ranks count. Fewer peers are
// compared step by step.
constexpr std::size_t kManyPeers = 8;

// Returns the computing of each peer in all steps that it shares with a rank.
std::vector<double> peerTotals(const PeerGaps& gaps, std::uint32_t rank) {
  std::vector<double> totals(gaps.steps.size());
  std::vector<std::uint32_t> counts(gaps.steps.size());
  std::uint32_t steps = 0;
  for (const Peers& peers : gaps.peers) {
    const bool has_rank =
        std::any_of(peers.begin(), peers.end(),
                    [&](const RankStep& each) { return each.rank == rank; });
    if (!has_rank) continue;
    ++steps;
    for (const RankStep& each : peers) {
      totals[each.rank] += gaps.steps[each.rank][each.step].own_ns;
      ++counts[each.rank];
    }
  }
  std::vector<double> of_peers;
  for (std::uint32_t i = 0; i < totals.size(); ++i) {
    if (i != rank && counts[i] == steps && steps > 0) {
      of_peers.push_back(totals[i]);
    }
  }
  return of_peers;
}

// Returns the computing of each peer in each step.
std::vector<double> peerSteps(const PeerGaps& gaps, std::uint32_t rank) {
  std::vector<double> all;
  for (const Peers& peers : gaps.peers) {
    const bool has_rank =
        std::any_of(peers.begin(), peers.end(),
                    [&](const RankStep& each) { return each.rank == rank; });
    if (!has_rank) continue;
    for (const RankStep& each : peers) {
      if (each.rank == rank) continue;
      all.push_back(gaps.steps[each.rank][each.step].own_ns);
    }
  }
  return all;
}

}  // namespace

RankChange changeOfRank(const ReplayJob& job, const PeerGaps& gaps,
                        std::uint32_t rank) {
  RankChange result;
  result.change.gaps.resize(job.ranks.size());
  GapChange& change = result.change.gaps[rank];
  change.gaps = &gaps.median[rank];
  std::vector<double> samples = peerTotals(gaps, rank);
  if (samples.size() < kManyPeers) samples = peerSteps(gaps, rank);
  const double middle = median(samples);
  const auto interval = predictNext(samples);
  result.unbounded = !interval || middle <= 0;
  if (result.unbounded) {
    change.low_factor = 0;
    return result;
  }
  change.low_factor = std::max(interval->low / middle, 0.0);
  change.largest = &gaps.largest[rank];
  change.high_factor = std::max(interval->high / middle, 1.0);
  return result;
}

Change changeOfRanks(const ReplayJob& job,
                     const std::vector<std::vector<float>>& gaps,
                     const std::function<bool(std::uint32_t)>& is_wanted) {
  Change change;
  change.gaps.resize(job.ranks.size());
  for (std::uint32_t i = 0; i < gaps.size(); ++i) {
    if (is_wanted(i)) change.gaps[i].gaps = &gaps[i];
  }
  return change;
}

std::vector<float> medianTransfers(const ReplayJob& job) {
  std::vector<std::vector<float>> times(job.usual_lag_ns.size());
  for (const Meeting& meeting : job.meetings) {
    if (meeting.part != Meeting::Part::kWhole || !meeting.has_end ||
        meeting.incomplete) {
      continue;
    }
    times[job.kinds[meeting.kind].transfer].push_back(meeting.transfer_ns);
  }
  std::vector<float> medians;
  for (std::vector<float>& of_kind : times) {
    medians.push_back(of_kind.empty() ? -1 : upperMedian(std::move(of_kind)));
  }
  return medians;
}

Change changeOfTransfers(const ReplayJob& job, double factor,
                         const std::function<bool(const Kind&)>& is_wanted) {
  std::vector<float> of_kind;
  for (const Kind& kind : job.kinds) {
    of_kind.push_back(is_wanted(kind) ? static_cast<float>(factor) : 1.0F);
  }
  Change change;
  change.transfer_factor.reserve(job.meetings.size());
  for (const Meeting& meeting : job.meetings) {
    const bool known = meeting.part != Meeting::Part::kUnmatched;
    change.transfer_factor.push_back(known ? of_kind[meeting.kind] : 1.0F);
  }
  return change;
}

std::vector<std::vector<Event>> overlappedEvents(const ReplayJob& job) {
  std::vector<std::vector<Event>> all;
  for (const RankEvents& rank : job.ranks) {
    std::vector<Event>& events = all.emplace_back();
    events.reserve(rank.events.size());
    std::vector<Event> postponed;
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      float gap_ns = 0;
      for (Event event : rank.of(rank.steps, step)) {
        const bool stays =
            !event.is_wait || isPointToPoint(job.kinds[event.kind].op);
        if (stays) {
          event.gap_ns += gap_ns;
          gap_ns = 0;
          events.push_back(event);
          continue;
        }
        if (!event.is_unseen) gap_ns += event.gap_ns;
        event.gap_ns = 0;
        postponed.push_back(event);
      }
      for (Event& event : postponed) {
        event.gap_ns += gap_ns;
        gap_ns = 0;
        events.push_back(event);
      }
      postponed.clear();
    }
  }
  return all;
}

}  // namespace traced::whatif
