// GroupStart holds how long the ranks of a group took to create it, and how
// long its first call took.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/figures/histogram.h"

namespace traced {

// A time of each rank, in ns.
class RankTimes {
 public:
  struct Entry {
    std::uint64_t ns = 0;
    std::uint32_t rank = 0;

    auto operator<=>(const Entry&) const = default;
  };

  void add(std::uint32_t rank, std::uint64_t ns) {
    entries_.push_back({ns, rank});
  }
  void add(const RankTimes& other);
  // Call once, before the functions below.
  void sort();

  std::size_t count() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // Return the median and the longest time. Must not be empty.
  std::uint64_t p50Ns() const;
  const Entry& longest() const { return entries_.back(); }

 private:
  std::vector<Entry> entries_;
};

struct GroupStart {
  // Time in the call that created the group, such as new_group(), and how much
  // of that was spent in a barrier.
  RankTimes created;
  RankTimes barrier;
  // Duration of the first call: the transfer, or if it is unknown the time from
  // issue to end, or to return.
  RankTimes first;
  // The operation of the first call.
  std::string first_op;
  // The same duration of later calls of equal operation and tensors.
  Histogram later_ns;

  void add(const GroupStart& other);
  // Call once, after all ranks were added.
  void sort();
};

}  // namespace traced
