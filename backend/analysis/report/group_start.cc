#include "analysis/report/group_start.h"

#include <algorithm>

#include "analysis/figures/samples.h"

namespace traced {

void RankTimes::add(const RankTimes& other) {
  entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
}

void RankTimes::sort() { std::sort(entries_.begin(), entries_.end()); }

std::uint64_t RankTimes::p50Ns() const {
  return entries_[nearestRank(entries_.size(), 50)].ns;
}

void GroupStart::add(const GroupStart& other) {
  created.add(other.created);
  barrier.add(other.barrier);
  first.add(other.first);
  // Members that disagree about their first call are a fault of the program.
  if (first_op.empty() ||
      (!other.first_op.empty() && other.first_op < first_op))
    first_op = other.first_op;
  later_ns.add(other.later_ns);
}

void GroupStart::sort() {
  created.sort();
  barrier.sort();
  first.sort();
}

}  // namespace traced
