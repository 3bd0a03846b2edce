#include "analysis/diagnosis/job_state/pair_table.h"

#include <algorithm>

namespace traced {

void PairSide::add(std::uint64_t seq, std::uint32_t message, Reached reached,
                   bool is_in_batch) {
  if (first_ == 0) {
    first_ = seq;
  } else if (seq <= last_) {
    return;
  } else if (seq > last_ + 1) {
    holes_.add(last_ + 1, seq - 1);
  }
  last_ = seq;
  if (runs_.empty() || runs_.back().message != message) {
    runs_.push_back({seq, message});
  }
  if (reached == Reached::kFailed) failed_.add(seq);
  if (isInside(reached)) inside_.add(seq);
  (is_in_batch ? in_batch_ : alone_) = true;
}

std::uint32_t PairSide::messageAt(std::uint64_t seq) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), seq,
      [](std::uint64_t value, const Run& run) { return value < run.first; });
  return std::prev(after)->message;
}

}  // namespace traced
