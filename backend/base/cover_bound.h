// CoverBound computes an upper bound of the time that a set of windows covers.
//
// The sum is exact if windows are added in order of their begins. A window that
// begins before an earlier one may count some time twice. Not thread safe.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace traced {

class CoverBound {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    if (open_ns_) end_ns = std::min(end_ns, *open_ns_);
    if (begin_ns >= end_ns) return;
    if (begin_ns < latest_begin_ns_) {
      sum_ns_ += length(begin_ns, std::min(end_ns, latest_begin_ns_));
    } else if (begin_ns > latest_end_ns_) {
      latest_begin_ns_ = latest_end_ns_ = begin_ns;
    }
    if (end_ns <= latest_end_ns_) return;
    sum_ns_ += length(latest_end_ns_, end_ns);
    latest_end_ns_ = end_ns;
  }

  // Adds a window without a known end. Until close() is called, ns() is no
  // upper bound.
  void addOpen(std::int64_t begin_ns) {
    open_ns_ = std::min(open_ns_.value_or(begin_ns), begin_ns);
  }
  // Ends all open windows at `end_ns`. No window added so far may end later.
  void close(std::int64_t end_ns) {
    if (!open_ns_) return;
    const std::int64_t begin_ns = *open_ns_;
    open_ns_.reset();
    add(begin_ns, end_ns);
  }
  bool isOpen() const { return open_ns_.has_value(); }

  std::uint64_t ns() const { return sum_ns_; }

 private:
  static std::uint64_t length(std::int64_t from_ns, std::int64_t to_ns) {
    return static_cast<std::uint64_t>(to_ns) -
           static_cast<std::uint64_t>(from_ns);
  }

  std::uint64_t sum_ns_ = 0;
  // The union of the latest overlapping windows.
  std::int64_t latest_begin_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t latest_end_ns_ = std::numeric_limits<std::int64_t>::min();
  // Begin of the earliest open window.
  std::optional<std::int64_t> open_ns_;
};

}  // namespace traced
