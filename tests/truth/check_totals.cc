// Checks that the sums of a report equal what was recorded.

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/report/report_builder.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t waits = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t failed = 0;
};

Totals totalsOf(const Trial& trial, std::uint32_t rank) {
  const HostClock clock(trial.program, trial.program.hostOf(rank));
  Totals totals;
  for (const Happened& op : trial.history.ranks[rank].operations) {
    ++totals.calls;
    totals.failed += op.failed && (op.wait_ended != kNever ||
                                   op.stamped <= trial.history.ranks[rank].end);
    if (op.wait_ended == kNever) continue;
    ++totals.waits;
    totals.wait_ns += static_cast<std::uint64_t>(
        clock.monotonicNs(op.wait_ended) - clock.monotonicNs(op.wait_began));
  }
  return totals;
}

}  // namespace

void checkTotals(const Trial& trial, const Report& report, Lies& lies) {
  if (!trial.isWhole()) return;
  for (const RankTotals& reported : report.ranks) {
    const Totals totals = totalsOf(trial, reported.rank);
    const CallTotals& found = reported.totals;
    const bool right =
        found.calls == totals.calls && found.wait.count == totals.waits &&
        found.wait.total_ns == totals.wait_ns && found.failed == totals.failed;
    if (right) continue;
    lies.push_back(
        {"totals of a rank",
         absl::StrCat("rank ", reported.rank, ": said ", found.calls,
                      " calls, ", found.wait.count, " waits of ",
                      found.wait.total_ns, " ns, ", found.failed,
                      " failed; were ", totals.calls, ", ", totals.waits, ", ",
                      totals.wait_ns, ", ", totals.failed)});
  }
}

}  // namespace traced::truth
