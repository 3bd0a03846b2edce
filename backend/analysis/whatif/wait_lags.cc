#include "analysis/whatif/wait_lags.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/statistics/median.h"
#include "analysis/whatif/wait_order.h"

namespace traced::whatif {
namespace {

// Walks through the events of a rank with their recorded times.
class LagFinder {
 public:
  LagFinder(ReplayJob& job, std::vector<std::vector<float>>& lags)
      : job_(job), lags_(lags) {}

  void find(RankEvents& rank) {
    double at_ns = static_cast<double>(rank.begin_ns);
    double ended_ns = 0;
    float tail_ns = -1;
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      Event& event = rank.events[i];
      at_ns += event.gap_ns;
      if (!event.is_wait || event.is_unseen) continue;
      const bool first = i == 0 || !continuesWait(rank.events[i - 1], event);
      if (first) {
        ended_ns = at_ns;
        tail_ns = -1;
      }
      const float own_tail_ns = std::exchange(event.own_lag_ns, 0.0F);
      if (own_tail_ns >= 0) {
        tail_ns = tail_ns < 0 ? own_tail_ns : std::min(tail_ns, own_tail_ns);
      }
      const Meeting& meeting = job_.meetings[event.meeting];
      ended_ns = std::max(ended_ns, static_cast<double>(meeting.ready_ns) +
                                        meeting.transfer_ns);
      at_ns += event.lag_ns;
      const bool last = i + 1 == rank.events.size() ||
                        !continuesWait(event, rank.events[i + 1]);
      event.lag_ns = last ? static_cast<float>(at_ns - ended_ns) : 0.0F;
      if (last && tail_ns >= 0) {
        event.own_lag_ns = std::max(event.lag_ns - tail_ns, 0.0F);
      }
      if (last && event.lag_ns > 0) {
        sum_ns_ += event.lag_ns;
        ++blocked_;
        job_.max_lag_ns = std::max(job_.max_lag_ns, event.lag_ns);
      }
      if (last) {
        lags_[job_.kinds[event.kind].transfer].push_back(
            std::max(event.lag_ns - event.own_lag_ns, 0.0F));
      }
    }
  }

  float meanNs() const {
    return blocked_ > 0 ? static_cast<float>(sum_ns_ / blocked_) : 0.0F;
  }

 private:
  ReplayJob& job_;
  std::vector<std::vector<float>>& lags_;
  double sum_ns_ = 0;
  double blocked_ = 0;
};

// Returns the median plus five standard deviations, estimated by the median
// deviation. Up to half of the values may be unusual.
float largestUsual(std::vector<float>& values) {
  constexpr float kDeviations = 5 * 1.4826F;
  if (values.empty()) return 0;
  const float middle = upperMedian(values);
  for (float& value : values) value = std::abs(value - middle);
  return middle + kDeviations * upperMedian(std::move(values));
}

}  // namespace

void findWaitLags(ReplayJob& job) {
  std::uint32_t kinds = 0;
  for (const Kind& kind : job.kinds) kinds = std::max(kinds, kind.transfer + 1);
  std::vector<std::vector<float>> lags(kinds);
  LagFinder finder(job, lags);
  for (RankEvents& rank : job.ranks) finder.find(rank);
  job.mean_lag_ns = finder.meanNs();
  job.usual_lag_ns.clear();
  for (std::vector<float>& of_kind : lags) {
    job.usual_lag_ns.push_back(largestUsual(of_kind));
  }
}

}  // namespace traced::whatif
