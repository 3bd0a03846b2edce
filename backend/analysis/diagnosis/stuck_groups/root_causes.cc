#include <algorithm>
#include <utility>

#include "analysis/diagnosis/stuck_groups/wait_graph.h"

namespace traced {
namespace {

constexpr std::size_t kMaxMerged = 4;

bool isSameCause(const JobVerdict& a, const JobVerdict& b) {
  const auto is_absence = [](const JobVerdict& verdict) {
    return verdict.kind == VerdictKind::kNeverJoined ||
           (verdict.kind == VerdictKind::kP2pUnpaired &&
            verdict.culprits.size() == 1);
  };
  return is_absence(a) && is_absence(b) && !a.culprits.empty() &&
         a.culprits == b.culprits;
}

// Sorts collectives before messages because they name the other waiting ranks,
// and each kind by start of the wait.
void orderByTime(std::vector<RootCause>& roots) {
  std::stable_sort(roots.begin(), roots.end(),
                   [](const RootCause& a, const RootCause& b) {
                     const auto order = [](const RootCause& root) {
                       return std::pair(root.verdict.pair.has_value(),
                                        root.verdict.since_ns.value_or(0));
                     };
                     return order(a) < order(b);
                   });
}

struct Merged {
  JobVerdict verdict;
  std::size_t others = 0;
};

}  // namespace

std::vector<JobVerdict> mergeCauses(std::vector<RootCause> roots) {
  auto strongest = RootCause::Proof::kMayBeHeldUp;
  for (const RootCause& root : roots) {
    strongest = std::min(strongest, root.proof);
  }
  orderByTime(roots);
  std::vector<Merged> merged;
  for (RootCause& root : roots) {
    if (root.proof > strongest) continue;
    const auto same =
        std::find_if(merged.begin(), merged.end(), [&](const Merged& one) {
          return isSameCause(one.verdict, root.verdict);
        });
    if (same == merged.end()) {
      merged.push_back({std::move(root.verdict), 0});
    } else if (++same->others <= kMaxMerged) {
      same->verdict.reasons.push_back(
          AlsoWaitedFor{same->verdict.culprits, root.verdict.subject()});
    }
  }
  std::vector<JobVerdict> verdicts;
  for (Merged& one : merged) {
    if (one.others > kMaxMerged) {
      one.verdict.reasons.push_back(AndMore{one.others - kMaxMerged});
    }
    verdicts.push_back(std::move(one.verdict));
  }
  return verdicts;
}

}  // namespace traced
