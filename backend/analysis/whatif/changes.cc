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

// The computing of some peers, as parts of what others computed, which are the
// weights in ns.
struct Samples {
  std::vector<double> parts;
  std::vector<double> weights;

  void add(double own_ns, double usual_ns) {
    if (usual_ns <= 0) return;
    parts.push_back(own_ns / usual_ns);
    weights.push_back(usual_ns);
  }
};

// Adds each rank's computing as a part of the median of the others'. A single
// rank is compared with `usual_ns`.
void addParts(const std::vector<double>& own_ns, double usual_ns,
              Samples& samples) {
  if (own_ns.size() == 1) return samples.add(own_ns.front(), usual_ns);
  std::vector<float> sorted(own_ns.begin(), own_ns.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    samples.add(sorted[i], medianWithout(sorted, i));
  }
}

// Returns the samples of the peers of a rank that do not change: over all
// steps that they share with it if these are many, otherwise per step.
Samples peerSamples(const PeerGaps& gaps, std::uint32_t rank,
                    const std::vector<bool>& changes) {
  std::vector<std::vector<double>> per_step;
  std::vector<double> all_ns;
  std::vector<double> total_ns(gaps.steps.size());
  std::vector<std::uint32_t> counts(gaps.steps.size());
  for (const Peers& peers : gaps.peers) {
    const bool has_rank =
        std::any_of(peers.begin(), peers.end(),
                    [&](const RankStep& each) { return each.rank == rank; });
    if (!has_rank) continue;
    std::vector<double>& step = per_step.emplace_back();
    for (const RankStep& each : peers) {
      if (changes[each.rank]) continue;
      const double own_ns = gaps.steps[each.rank][each.step].own_ns;
      step.push_back(own_ns);
      all_ns.push_back(own_ns);
      total_ns[each.rank] += own_ns;
      ++counts[each.rank];
    }
  }
  std::vector<double> totals;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 && counts[i] == per_step.size()) {
      totals.push_back(total_ns[i]);
    }
  }
  Samples samples;
  if (totals.size() >= kManyPeers) {
    addParts(totals, 0, samples);
    return samples;
  }
  const double usual_ns = median(std::move(all_ns));
  for (const std::vector<double>& step : per_step) {
    addParts(step, usual_ns, samples);
  }
  return samples;
}

}  // namespace

RankChange changeOfRank(const ReplayJob& job, const PeerGaps& gaps,
                        std::uint32_t rank, const std::vector<bool>& changes) {
  RankChange result;
  result.change.gaps.resize(job.ranks.size());
  GapChange& change = result.change.gaps[rank];
  change.gaps = &gaps.median[rank];
  const Samples samples = peerSamples(gaps, rank, changes);
  const auto interval = predictNext(samples.parts, samples.weights);
  result.unbounded = !interval;
  if (result.unbounded) {
    change.low_factor = 0;
    return result;
  }
  change.low_factor = std::clamp(interval->low, 0.0, 1.0);
  change.largest = &gaps.largest[rank];
  change.high_factor = std::max(interval->high, 1.0);
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
