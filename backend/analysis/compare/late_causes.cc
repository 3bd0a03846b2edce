#include "analysis/compare/late_causes.h"

#include <algorithm>
#include <optional>

#include "analysis/compare/key_causes.h"
#include "analysis/compare/lateness.h"

namespace traced {
namespace {

// Returns by how much a step became longer, as a part of it.
double weightOf(const Change& change) {
  return moreNs(change) * std::max(change.share, 1e-9) /
         std::max(change.before, 1e-9);
}

// Returns whether the change delays a rank's next call and became longer.
bool holdsUp(const Change& change) {
  if (change.kind != ChangeKind::kWorse) return false;
  return change.part == RunPart::kOwnCall ||
         change.part == RunPart::kTransfer ||
         (change.part == RunPart::kExposed && change.sooner);
}

// Returns the heaviest cause among those that delay a rank by more than its
// lateness, if any.
std::optional<Cause> reasonFor(const Comparison& comparison,
                               const Change& wait) {
  std::optional<Cause> reason;
  double most = weightOf(wait);
  for (const ComparedKey& key : comparison.keys) {
    if (!key.key) continue;
    for (const Change& change : key.changes) {
      if (!holdsUp(change) || weightOf(change) <= most) continue;
      most = weightOf(change);
      reason = Cause{change.part, key.key};
    }
  }
  return reason;
}

// Same for a transfer whose change is open.
std::optional<Cause> openReasonFor(const ComparedKey& key, const Change& wait) {
  for (const Change& change : key.changes) {
    if (change.part == RunPart::kTransfer && change.kind == ChangeKind::kOpen &&
        weightOf(change) > weightOf(wait)) {
      return Cause{change.part, key.key};
    }
  }
  return std::nullopt;
}

}  // namespace

void findLateCauses(const Runs& base, const Runs& fresh,
                    Comparison& comparison) {
  for (ComparedKey& key : comparison.keys) {
    Change* wait = key.key ? worse(key, RunPart::kWaitForPeers) : nullptr;
    if (!wait) continue;
    const auto longer = computesLonger(base, fresh, comparison.settings,
                                       *key.key, wait->culprit);
    const double enough = kMaxShare * moreNs(*wait);
    if (!longer || longer->low >= enough) continue;
    const std::optional<Cause> reason = reasonFor(comparison, *wait);
    if (reason && longer->high < enough) {
      wait->follows = reason;
    } else {
      wait->perhaps_follows = reason ? reason : openReasonFor(key, *wait);
    }
  }
}

}  // namespace traced
