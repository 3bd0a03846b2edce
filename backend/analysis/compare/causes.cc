#include "analysis/compare/causes.h"

#include <algorithm>

#include "analysis/compare/key_causes.h"
#include "analysis/compare/late_causes.h"
#include "analysis/compare/lateness.h"

namespace traced {
namespace {

// Returns the key whose worse part weighs most and has no known cause.
const ComparedKey* heaviest(std::vector<ComparedKey>& keys, RunPart part) {
  const ComparedKey* most = nullptr;
  double ns = 0;
  for (ComparedKey& key : keys) {
    const Change* change = key.key ? worse(key, part) : nullptr;
    if (!change || change->follows) continue;
    const double more = moreNs(*change) * std::max(change->share, 1e-9) /
                        std::max(change->before, 1e-9);
    if (most && more <= ns) continue;
    most = &key;
    ns = more;
  }
  return most;
}

// Returns a key whose part became better, as the total's did.
const ComparedKey* betterToo(const std::vector<ComparedKey>& keys,
                             RunPart part) {
  for (const ComparedKey& key : keys) {
    for (const Change& change : key.changes) {
      if (key.key && change.part == part &&
          change.kind == ChangeKind::kBetter) {
        return &key;
      }
    }
  }
  return nullptr;
}

// Returns by how much a rank is blocked longer in a step by operations of a
// key.
double moreInStepNs(ComparedKey& key, const Change& exposed, double ranks) {
  const Change* calls = changeOf(key, RunPart::kCalls);
  return calls ? moreNs(exposed) * calls->after / ranks : 0;
}

// Returns the key whose lost overlap costs most, if all lost overlap explains
// most of `step_ns`.
const ComparedKey* lostOverlap(Comparison& comparison, double step_ns) {
  const ComparedKey* most = nullptr;
  double most_ns = 0, all_ns = 0;
  for (ComparedKey& key : comparison.keys) {
    const Change* exposed = key.key ? worse(key, RunPart::kExposed) : nullptr;
    if (!exposed || !exposed->sooner) continue;
    const double ns = moreInStepNs(key, *exposed, comparison.world_size);
    all_ns += ns;
    if (ns <= most_ns) continue;
    most = &key;
    most_ns = ns;
  }
  return all_ns >= kMaxShare * step_ns ? most : nullptr;
}

bool moreInFlight(Comparison& comparison) {
  if (comparison.keys.empty() || comparison.keys.front().key) return false;
  const Change* change = changeOf(comparison.keys.front(), RunPart::kInFlight);
  return change && change->kind != ChangeKind::kNone &&
         change->kind != ChangeKind::kOpen && change->after > change->before;
}

// Returns the heaviest reason for a longer step.
std::optional<Cause> reasonOf(Comparison& comparison, ComparedKey& total) {
  if (!comparison.one_sided.empty()) return Cause();
  const Change* step = worse(total, RunPart::kStep);
  if (const ComparedKey* key =
          lostOverlap(comparison, step ? moreNs(*step) : 0)) {
    return Cause{RunPart::kExposed, key->key};
  }
  for (const RunPart part :
       {RunPart::kCalls, RunPart::kBytes, RunPart::kOwnCall, RunPart::kTransfer,
        RunPart::kWaitForPeers, RunPart::kExposed}) {
    if (const ComparedKey* key = heaviest(comparison.keys, part)) {
      return Cause{part, key->key};
    }
  }
  return std::nullopt;
}

void followInTotal(Comparison& comparison, ComparedKey& total) {
  const std::optional<Cause> reason = reasonOf(comparison, total);
  for (Change& change : total.changes) {
    if (change.kind == ChangeKind::kNone || change.kind == ChangeKind::kOpen) {
      continue;
    }
    const ComparedKey* same = change.kind == ChangeKind::kBetter
                                  ? betterToo(comparison.keys, change.part)
                                  : heaviest(comparison.keys, change.part);
    if (same) {
      change.follows = Cause{change.part, same->key};
    } else if (change.kind == ChangeKind::kWorse ||
               change.kind == ChangeKind::kOther) {
      change.follows = reason;
    }
  }
}

}  // namespace

void findCauses(const Runs& base, const Runs& fresh, Comparison& comparison) {
  const CauseOptions options{comparison.settings.limits.floor,
                             moreInFlight(comparison)};
  for (ComparedKey& key : comparison.keys) {
    if (Change* wait = worse(key, RunPart::kWaitForPeers)) {
      wait->culprit = culpritOf(base, fresh, key.key);
    }
    if (key.key) findCausesWithin(base, fresh, options, key);
  }
  findLateCauses(base, fresh, comparison);
  if (comparison.keys.empty() || comparison.keys.front().key) return;
  followInTotal(comparison, comparison.keys.front());
}

}  // namespace traced
