#include "analysis/compare/key_causes.h"

#include <cmath>
#include <utility>
#include <vector>

#include "analysis/statistics/median.h"

namespace traced {
namespace {

std::optional<double> aheadOf(const Runs& runs, const RunKey& key) {
  std::vector<double> values;
  for (const RunFigures& run : runs) {
    const auto found = run.keys.find(key);
    if (found == run.keys.end() || !found->second.ahead_ns) continue;
    values.push_back(*found->second.ahead_ns);
  }
  if (values.size() < runs.size()) return std::nullopt;
  return median(std::move(values));
}

// Returns when the program began to wait, if it does so sooner by as much as it
// waits longer.
std::optional<Change::Ahead> soonerWait(const Runs& base, const Runs& fresh,
                                        const RunKey& key, double floor,
                                        const Change& exposed) {
  const auto before = aheadOf(base, key);
  const auto after = aheadOf(fresh, key);
  if (!before || !after || *after >= *before * (1 - floor) ||
      *before - *after < kMaxShare * moreNs(exposed)) {
    return std::nullopt;
  }
  return Change::Ahead{*before, *after};
}

// Returns whether the operation, as long as it is now, would have ended before
// the program began to wait for it. False if its times are unknown.
bool wouldBeHidden(ComparedKey& key, double ahead_ns) {
  const Change* transfer = changeOf(key, RunPart::kTransfer);
  const Change* wait = changeOf(key, RunPart::kWaitForPeers);
  return transfer && wait && transfer->after + wait->after <= ahead_ns;
}

// More calls carry more bytes.
void followCalls(ComparedKey& key) {
  const Change* calls = worse(key, RunPart::kCalls);
  Change* bytes = worse(key, RunPart::kBytes);
  if (calls && bytes && std::abs(bytes->ratio() - calls->ratio()) < 1e-9) {
    bytes->follows = Cause{RunPart::kCalls, key.key};
  }
}

// The program waits longer for an operation that takes longer.
void followOperation(ComparedKey& key, Change& exposed) {
  double most = kMaxShare * moreNs(exposed);
  for (const RunPart part : {RunPart::kTransfer, RunPart::kWaitForPeers}) {
    const Change* change = worse(key, part);
    if (!change || moreNs(*change) < most) continue;
    most = moreNs(*change);
    exposed.follows = Cause{part, key.key};
  }
}

// Same for a change that is too uncertain to be called longer.
void perhapsFollow(const ComparedKey& key, Change& exposed) {
  double most = kMaxShare * moreNs(exposed);
  for (const Change& change : key.changes) {
    const bool may_explain = change.part == RunPart::kTransfer ||
                             change.part == RunPart::kWaitForPeers;
    if (!may_explain || change.kind != ChangeKind::kOpen) continue;
    if (moreNs(change) < most) continue;
    most = moreNs(change);
    exposed.perhaps_follows = Cause{change.part, key.key};
  }
}

// Operations that no longer overlap with computing may run at the same time,
// and take longer because they share the network.
void followLostOverlap(ComparedKey& key) {
  Change* transfer = worse(key, RunPart::kTransfer);
  if (transfer) transfer->follows = Cause{RunPart::kExposed, key.key};
}

// The program begins to wait sooner, the operation takes longer, or the program
// waits for more calls.
void explainExposed(const Runs& base, const Runs& fresh,
                    const CauseOptions& options, ComparedKey& key) {
  Change* exposed = worse(key, RunPart::kExposed);
  if (!exposed) return;
  const auto sooner =
      soonerWait(base, fresh, *key.key, options.floor, *exposed);
  if (sooner && wouldBeHidden(key, sooner->before_ns)) {
    exposed->sooner = sooner;
    if (options.more_in_flight) followLostOverlap(key);
    return;
  }
  followOperation(key, *exposed);
  if (exposed->follows) return;
  exposed->sooner = sooner;
  if (sooner) return;
  if (worse(key, RunPart::kCalls)) {
    exposed->follows = Cause{RunPart::kCalls, key.key};
  } else {
    perhapsFollow(key, *exposed);
  }
}

}  // namespace

double moreNs(const Change& change) { return change.after - change.before; }

Change* worse(ComparedKey& key, RunPart part) {
  Change* change = changeOf(key, part);
  return change && change->kind == ChangeKind::kWorse ? change : nullptr;
}

void findCausesWithin(const Runs& base, const Runs& fresh,
                      const CauseOptions& options, ComparedKey& key) {
  followCalls(key);
  explainExposed(base, fresh, options, key);
}

}  // namespace traced
