// SeqRanges is a set of sequence numbers, kept as ranges.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace traced {

class SeqRanges {
 public:
  struct Range {
    std::uint64_t first;
    std::uint64_t last;
  };

  // In ascending order.
  void add(std::uint64_t seq) { add(seq, seq); }
  void add(std::uint64_t first, std::uint64_t last) {
    if (!ranges_.empty() && ranges_.back().last + 1 == first) {
      ranges_.back().last = last;
    } else {
      ranges_.push_back({first, last});
    }
  }

  bool contains(std::uint64_t seq) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), seq,
                         [](std::uint64_t value, const Range& range) {
                           return value < range.first;
                         });
    return after != ranges_.begin() && std::prev(after)->last >= seq;
  }

  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

}  // namespace traced
