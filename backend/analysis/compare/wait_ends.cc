#include "analysis/compare/wait_ends.h"

#include <algorithm>

namespace traced {

WaitEnds::WaitEnds(const StreamTable& table) {
  for (const AssembledOperation& op : table.operations) {
    if (op.wait_ended.known()) ends_ns_.push_back(op.wait_ended.ns());
  }
  std::sort(ends_ns_.begin(), ends_ns_.end());
}

std::optional<std::uint64_t> WaitEnds::untilIssue(
    const AssembledOperation& op) const {
  if (!op.issued.known()) return std::nullopt;
  const auto after =
      std::upper_bound(ends_ns_.begin(), ends_ns_.end(), op.issued.ns());
  if (after == ends_ns_.begin()) return std::nullopt;
  return between(Instant(*std::prev(after)), op.issued);
}

}  // namespace traced
