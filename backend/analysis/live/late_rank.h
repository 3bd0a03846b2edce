// LateRank detects which rank keeps the others waiting in a running job, and
// when that ends.
//
// The condition must hold in all quarters of a window, so that a checkpoint or
// a pause of one rank does not count. The result is likely, never certain: it
// shows who is last, not why.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace traced {

// Not thread safe. Call add() and update() as the job runs.
class LateRank {
 public:
  static constexpr std::int64_t kQuarterNs = 5'000'000'000;
  static constexpr std::size_t kQuarters = 4;

  struct Late {
    std::uint32_t rank = 0;
    // Share of all waiting in the window that this rank caused, from 0 to 1.
    double of_waiting = 0;
    // Time waited for it, divided by the window's length. Above 1 if operations
    // overlap.
    double of_time = 0;
  };

  // Records that a rank was certainly last in an operation, by `behind_ns`
  // after the second last rank.
  void add(std::uint32_t rank, std::uint64_t behind_ns);
  // Updates late() if kQuarterNs have passed since the current quarter began,
  // and begins the next one. The first call discards what add() recorded before
  // it, and begins the first quarter. `now_ns`: on one monotonic clock.
  // `starved`: processes wait for CPUs, so any may be late. Then it discards
  // all data and late() is empty.
  void update(std::int64_t now_ns, bool starved);

  // Returns the late rank as of the last update(), or nullopt if none is. The
  // rank stays until it is not late in the latest quarter. One quarter needs
  // only half the share of time that the window needs.
  const std::optional<Late>& late() const { return late_; }

 private:
  struct Waited {
    std::uint64_t times = 0;
    std::uint64_t ns = 0;
  };
  struct Quarter {
    std::map<std::uint32_t, Waited> ranks;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };

  // Returns the rank that others waited for longest in `quarter`. Returns
  // nullopt if one of its shares is below `of_waiting` or `of_time`, or if it
  // was seldom or barely last.
  static std::optional<Late> lateIn(const Quarter& quarter, double of_waiting,
                                    double of_time);
  // Returns the rank that is late in the window and in each of its quarters.
  // Absent until kQuarters have passed.
  std::optional<Late> lateInAll() const;

  std::deque<Quarter> quarters_;
  Quarter current_;
  std::optional<Late> late_;
};

}  // namespace traced
