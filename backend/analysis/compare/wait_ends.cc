#include "analysis/compare/wait_ends.h"

#include <algorithm>

namespace traced {

WaitEnds::WaitEnds(const StreamTable& table) {
  for (const AssembledOperation& op : table.operations) {
    if (op.wait_ended.known()) ends_ns_.push_back(op.wait_ended.ns());
    if (const auto took = between(op.issued, op.returned)) {
      calls_.push_back({op.issued.ns(), *took});
    }
  }
  std::sort(ends_ns_.begin(), ends_ns_.end());
  std::sort(calls_.begin(), calls_.end(),
            [](const OwnCall& a, const OwnCall& b) {
              return a.issue_ns < b.issue_ns;
            });
  std::uint64_t total_ns = 0;
  for (OwnCall& call : calls_) call.total_ns = total_ns += call.total_ns;
}

std::optional<std::uint64_t> WaitEnds::untilIssue(
    const AssembledOperation& op) const {
  const auto after =
      std::upper_bound(ends_ns_.begin(), ends_ns_.end(), op.issued.ns());
  if (after == ends_ns_.begin()) return std::nullopt;
  const std::int64_t from_ns = *std::prev(after);
  const auto whole = between(Instant(from_ns), op.issued);
  if (!whole) return std::nullopt;
  // Calls of several threads may overlap, so their sum may exceed `whole`.
  const std::uint64_t called_ns =
      calledBefore(op.issued.ns()) - calledBefore(from_ns);
  return *whole - std::min(*whole, called_ns);
}

std::uint64_t WaitEnds::calledBefore(std::int64_t ns) const {
  const auto next = std::lower_bound(
      calls_.begin(), calls_.end(), ns,
      [](const OwnCall& call, std::int64_t at) { return call.issue_ns < at; });
  return next == calls_.begin() ? 0 : std::prev(next)->total_ns;
}

}  // namespace traced
