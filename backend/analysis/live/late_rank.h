// LateRank tells while a job runs which rank keeps the others waiting: when
// that begins, and when it ends.
//
// The same must hold of all quarters of a window, so that a checkpoint or a
// pause of one rank is none. It is likely, never certain: who is last is seen,
// and not why.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace traced {

// Not thread safe.
class LateRank {
 public:
  static constexpr std::int64_t kQuarterNs = 5'000'000'000;
  static constexpr std::size_t kQuarters = 4;

  struct Late {
    std::uint32_t rank = 0;
    // Of all waiting for a last rank in the window, what was for this one, and
    // of the window's time.
    double of_waiting = 0;
    double of_time = 0;
  };

  // A rank was certainly the last, by so much.
  void add(std::uint32_t rank, std::uint64_t behind_ns);
  // Moves on to now. On a `starved` machine whoever gets no processor is late:
  // nothing is told then, and what was seen counts for nothing.
  void update(std::int64_t now_ns, bool starved);

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

  static std::optional<Late> lateIn(const Quarter& quarter, double of_waiting,
                                    double of_time);
  std::optional<Late> lateInAll() const;

  std::deque<Quarter> quarters_;
  Quarter current_;
  std::optional<Late> late_;
};

}  // namespace traced
