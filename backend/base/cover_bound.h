// CoverBound computes an upper bound of the time that a set of windows covers.
//
// The sum is exact unless a window reaches back behind the latest kMaxParts
// separate windows: it may then count some time twice. Not thread safe.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace traced {

class CoverBound {
 public:
  static constexpr std::size_t kMaxParts = 512;

  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    if (open_ns_) end_ns = std::min(end_ns, *open_ns_);
    if (begin_ns >= end_ns) return;
    // The parts that the window overlaps or touches become one with it.
    auto last = parts_.end();
    while (last != parts_.begin() && (last - 1)->begin_ns > end_ns) --last;
    auto first = last;
    Part whole{begin_ns, end_ns};
    while (first != parts_.begin() && (first - 1)->end_ns >= begin_ns) {
      --first;
      sum_ns_ -= first->length();
      whole.begin_ns = std::min(whole.begin_ns, first->begin_ns);
      whole.end_ns = std::max(whole.end_ns, first->end_ns);
    }
    sum_ns_ += whole.length();
    if (first == last) {
      parts_.insert(last, whole);
    } else {
      *first = whole;
      parts_.erase(first + 1, last);
    }
    if (parts_.size() > kMaxParts) {
      parts_.erase(parts_.begin(), parts_.begin() + kMaxParts / 2);
    }
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
  struct Part {
    std::int64_t begin_ns;
    std::int64_t end_ns;

    std::uint64_t length() const {
      return static_cast<std::uint64_t>(end_ns) -
             static_cast<std::uint64_t>(begin_ns);
    }
  };

  std::uint64_t sum_ns_ = 0;
  // Sorted and disjoint: the latest parts of the union.
  std::vector<Part> parts_;
  // Begin of the earliest open window.
  std::optional<std::int64_t> open_ns_;
};

}  // namespace traced
