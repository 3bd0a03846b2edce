#include "analysis/whatif/replay.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace traced::whatif {

double Replayed::low() const {
  return std::min(ns[kShortest], ns[kNoUnseenWaits]);
}

double Replayed::high() const {
  return std::max({ns[kEstimate], ns[kShortest], ns[kLongest]});
}

namespace {

constexpr double kNotYet = -std::numeric_limits<double>::infinity();

class Replay {
 public:
  Replay(const ReplayJob& job, const Change& change, ReplayedTimes* times)
      : job_(job), change_(change), begin_ns_(job.beginNs()), times_(times) {
    if (times) times->assign(job.ranks.size(), {});
    meetings_.resize(job.meetings.size());
    for (std::size_t i = 0; i < meetings_.size(); ++i) {
      meetings_[i].missing = job.meetings[i].joins;
    }
    const double worst_ns = job.measuredErrorNs() / 2;
    ranks_.resize(job.ranks.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      Rank& rank = ranks_[i];
      const auto& events =
          change.events ? (*change.events)[i] : job.ranks[i].events;
      rank.next = events.data();
      rank.end = events.data() + events.size();
      rank.first = events.data();
      if (!change.gaps.empty() && change.gaps[i].gaps) {
        rank.gaps = &change.gaps[i];
      }
      const auto after_ns =
          static_cast<double>(job.ranks[i].begin_ns - begin_ns_);
      const double error_ns = job.ranks[i].clock_ns + worst_ns;
      const double low_ns = std::max(0.0, after_ns - error_ns);
      rank.at = {after_ns, low_ns, after_ns + error_ns, low_ns};
    }
  }

  Replayed run() {
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) runnable_.push_back(i);
    Replayed replayed;
    while (true) {
      runAll();
      if (!forceOne()) break;
      ++replayed.forced;
    }
    for (const Rank& rank : ranks_) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        replayed.ns[lane] = std::max(replayed.ns[lane], rank.at[lane]);
      }
    }
    replayed.ns[kLongest] += job_.max_lag_ns;
    return replayed;
  }

 private:
  struct Rank {
    const Event* next = nullptr;
    const Event* end = nullptr;
    const Event* first = nullptr;
    const GapChange* gaps = nullptr;
    Lanes at{};
  };
  // Something that continues when a meeting ends: a blocked rank, or a rank
  // that joins another meeting.
  struct Waiter {
    std::uint32_t next = kNone;
    std::uint32_t rank = kNone;
    std::uint32_t joins = kNone;
    float lag_ns = 0;
    Lanes ready{};
  };
  struct State {
    Lanes ready{kNotYet, kNotYet, kNotYet, kNotYet};
    std::uint32_t missing = 0;
    std::uint32_t waiters = kNone;
  };

  bool hasEnded(std::uint32_t meeting) const {
    return meetings_[meeting].missing == 0;
  }

  Lanes endOf(std::uint32_t meeting) const {
    const Meeting& fixed = job_.meetings[meeting];
    Lanes end = meetings_[meeting].ready;
    float estimate = fixed.transfer_ns;
    float low = fixed.low_ns;
    float high = fixed.high_ns;
    const bool is_shared = fixed.part == Meeting::Part::kWhole ||
                           fixed.part == Meeting::Part::kReceiver;
    if (!change_.transfer_ns.empty() && is_shared) {
      const float changed =
          change_.transfer_ns[job_.kinds[fixed.kind].transfer];
      if (changed >= 0) {
        low = std::min(low, changed);
        estimate = high = changed;
      }
    }
    const float factor = change_.transfer_factor.empty()
                             ? 1.0F
                             : change_.transfer_factor[meeting];
    end[kEstimate] += factor * estimate;
    end[kShortest] += factor * low;
    end[kLongest] += factor * high;
    end[kNoUnseenWaits] += factor * low;
    if (fixed.is_loose && fixed.has_end) {
      // It then waited at most as long as it did.
      end[kLongest] = std::max(end[kLongest],
                               static_cast<double>(fixed.end_ns - begin_ns_));
    }
    return end;
  }

  void runAll() {
    while (!runnable_.empty()) {
      const std::uint32_t rank = runnable_.back();
      runnable_.pop_back();
      run(rank);
    }
  }

  void run(std::uint32_t number) {
    Rank& rank = ranks_[number];
    for (; rank.next != rank.end; ++rank.next) {
      const Event& event = *rank.next;
      if (event.is_wait && !hasEnded(event.meeting)) {
        addWaiter(event.meeting, {kNone, number, kNone, 0, {}});
        return;
      }
      EventTime time{rank.at[kEstimate]};
      compute(rank, event);
      time.at_ns = rank.at[kEstimate];
      if (event.is_wait) wait(rank, event);
      time.end_ns = rank.at[kEstimate];
      if (times_) (*times_)[number].push_back(time);
      if (event.is_wait) continue;
      if (event.after != kNone && !hasEnded(event.after)) {
        addWaiter(event.after,
                  {kNone, kNone, event.meeting, event.lag_ns, rank.at});
      } else {
        Lanes ready = rank.at;
        if (event.after != kNone) queue(ready, event.after, event.lag_ns);
        join(event.meeting, ready);
      }
    }
  }

  // Lets the rank compute until the event.
  void compute(Rank& rank, const Event& event) const {
    Lanes gaps{event.gap_ns, event.gap_ns, event.gap_ns, event.gap_ns};
    if (rank.gaps && !event.is_unseen) {
      const auto i = static_cast<std::size_t>(&event - rank.first);
      gaps = replacedGaps(*rank.gaps, i, event.gap_ns);
    }
    if (event.may_wait_ns > 0) {
      // What was waiting was no computing.
      gaps[kShortest] = std::max(0.0, gaps[kShortest] - event.may_wait_ns);
      if (event.is_unseen) {
        gaps[kEstimate] = std::max(0.0, gaps[kEstimate] - event.may_wait_ns);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      rank.at[lane] += gaps[lane];
    }
  }

  static Lanes replacedGaps(const GapChange& change, std::size_t event,
                            double own_ns) {
    const double ns = (*change.gaps)[event];
    Lanes gaps{ns, ns * change.low_factor, ns, ns * change.low_factor};
    if (change.largest) {
      gaps[kLongest] =
          std::min(own_ns, (*change.largest)[event] * change.high_factor);
    }
    return gaps;
  }

  void wait(Rank& rank, const Event& event) const {
    const Lanes end = endOf(event.meeting);
    if (event.is_unseen) {
      for (const std::size_t lane : {kEstimate, kShortest, kLongest}) {
        rank.at[lane] = std::max(rank.at[lane], end[lane]);
      }
      return;
    }
    // A wait that was not blocked in the run shows no lag.
    const bool newly_blocked =
        event.lag_ns <= 0 && end[kLongest] > rank.at[kLongest];
    advance(rank.at, end);
    if (newly_blocked) rank.at[kLongest] += job_.mean_lag_ns;
    const std::uint32_t kind = job_.kinds[event.kind].transfer;
    const float lag_ns = std::max(event.lag_ns, 0.0F);
    const float own_ns = std::min(lag_ns, event.own_lag_ns);
    rank.at[kEstimate] +=
        own_ns + std::min(lag_ns - own_ns, job_.usual_lag_ns[kind]);
    rank.at[kLongest] += lag_ns;
  }

  static void advance(Lanes& at, const Lanes& to) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      at[lane] = std::max(at[lane], to[lane]);
    }
  }

  // Delays a join until the operation before it in the queue has ended.
  void queue(Lanes& ready, std::uint32_t before, float lag_ns) const {
    Lanes end = endOf(before);
    end[kLongest] += lag_ns;
    advance(ready, end);
  }

  void addWaiter(std::uint32_t meeting, Waiter waiter) {
    std::uint32_t index = free_;
    if (index == kNone) {
      index = static_cast<std::uint32_t>(waiters_.size());
      waiters_.emplace_back();
    } else {
      free_ = waiters_[index].next;
    }
    waiter.next = meetings_[meeting].waiters;
    waiters_[index] = waiter;
    meetings_[meeting].waiters = index;
  }

  void join(std::uint32_t meeting, const Lanes& ready) {
    State& state = meetings_[meeting];
    advance(state.ready, ready);
    if (state.missing > 0 && --state.missing == 0) complete(meeting);
  }

  // Continues what waits for the meeting. Joining may complete other meetings.
  void complete(std::uint32_t meeting) {
    completed_.push_back(meeting);
    if (completed_.size() > 1) return;
    while (!completed_.empty()) {
      const std::uint32_t ended = completed_.front();
      std::uint32_t index = std::exchange(meetings_[ended].waiters, kNone);
      while (index != kNone) {
        const Waiter waiter = waiters_[index];
        waiters_[index].next = free_;
        free_ = index;
        index = waiter.next;
        if (waiter.rank != kNone) {
          runnable_.push_back(waiter.rank);
          continue;
        }
        Lanes ready = waiter.ready;
        queue(ready, ended, waiter.lag_ns);
        join(waiter.joins, ready);
      }
      completed_.erase(completed_.begin());
    }
  }

  // Ends the meeting for which the first blocked rank waits. Returns false if
  // none is blocked.
  bool forceOne() {
    for (Rank& rank : ranks_) {
      if (rank.next == rank.end) continue;
      const std::uint32_t meeting = rank.next->meeting;
      advance(meetings_[meeting].ready, rank.at);
      meetings_[meeting].missing = 0;
      complete(meeting);
      return true;
    }
    return false;
  }

  const ReplayJob& job_;
  const Change& change_;
  const std::int64_t begin_ns_;
  ReplayedTimes* const times_;
  std::vector<State> meetings_;
  std::vector<Rank> ranks_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_ = kNone;
  std::vector<std::uint32_t> runnable_;
  // Meetings that ended and whose waiters were not continued yet.
  std::vector<std::uint32_t> completed_;
};

}  // namespace

Replayed replay(const ReplayJob& job, const Change& change,
                ReplayedTimes* times) {
  return Replay(job, change, times).run();
}

}  // namespace traced::whatif
