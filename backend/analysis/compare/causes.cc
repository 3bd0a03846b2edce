#include "analysis/compare/causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/statistics/median.h"

namespace traced {
namespace {

bool isWorse(const Change& change) { return change.kind == ChangeKind::kWorse; }

Change* worse(ComparedKey& key, RunPart part) {
  for (Change& change : key.changes) {
    if (change.part == part && isWorse(change)) return &change;
  }
  return nullptr;
}

// The median over runs of how long others waited for each rank.
std::map<std::uint32_t, double> causedOf(const Runs& runs,
                                         const std::optional<RunKey>& key) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (const RunFigures& run : runs) {
    const auto* caused = &run.caused_ns;
    if (key) {
      const auto found = run.keys.find(*key);
      if (found == run.keys.end()) continue;
      caused = &found->second.caused_ns;
    }
    for (const auto& [rank, ns] : *caused) values[rank].push_back(ns);
  }
  std::map<std::uint32_t, double> medians;
  for (auto& [rank, of_runs] : values) {
    // A run without the rank says that nobody waited for it.
    of_runs.resize(runs.size());
    medians[rank] = middleOf(std::move(of_runs));
  }
  return medians;
}

std::optional<std::uint32_t> culpritOf(const Runs& base, const Runs& fresh,
                                       const std::optional<RunKey>& key) {
  const auto before = causedOf(base, key);
  double all = 0, most = 0;
  std::optional<std::uint32_t> culprit;
  for (const auto& [rank, ns] : causedOf(fresh, key)) {
    const auto known = before.find(rank);
    const double more = ns - (known == before.end() ? 0 : known->second);
    if (more <= 0) continue;
    all += more;
    if (more <= most) continue;
    most = more;
    culprit = rank;
  }
  if (most <= kMostOfIt * all) culprit.reset();
  return culprit;
}

std::optional<double> aheadOf(const Runs& runs, const RunKey& key) {
  std::vector<double> values;
  for (const RunFigures& run : runs) {
    const auto found = run.keys.find(key);
    if (found == run.keys.end() || !found->second.ahead_ns) continue;
    values.push_back(*found->second.ahead_ns);
  }
  if (values.size() < runs.size()) return std::nullopt;
  return middleOf(std::move(values));
}

void tellSooner(const Runs& base, const Runs& fresh, const RunKey& key,
                double floor, Change& exposed) {
  const auto before = aheadOf(base, key);
  const auto after = aheadOf(fresh, key);
  if (!before || !after || *after >= *before * (1 - floor)) return;
  exposed.sooner = {*before, *after};
}

std::string textOf(const ComparedKey& key, RunPart part) {
  return absl::StrCat(wordsOf(part), " of ", nameOf(key.key));
}

// Of one key: more calls carry more bytes; and whoever waits for an operation
// waits longer because it takes longer.
void followWithin(ComparedKey& key) {
  const Change* calls = worse(key, RunPart::kCalls);
  Change* bytes = worse(key, RunPart::kBytes);
  if (calls && bytes && std::abs(bytes->ratio() - calls->ratio()) < 1e-9) {
    bytes->follows = textOf(key, RunPart::kCalls);
  }
  Change* exposed = worse(key, RunPart::kExposed);
  if (!exposed) return;
  for (const RunPart part : {RunPart::kTransfer, RunPart::kWaitForPeers}) {
    if (worse(key, part)) exposed->follows = textOf(key, part);
  }
}

// Of all keys the one that weighs most.
const ComparedKey* heaviest(std::vector<ComparedKey>& keys, RunPart part) {
  const ComparedKey* most = nullptr;
  double ns = 0;
  for (ComparedKey& key : keys) {
    const Change* change = key.key ? worse(key, part) : nullptr;
    if (!change || !change->follows.empty()) continue;
    const double more = (change->after - change->before) *
                        std::max(change->share, 1e-9) /
                        std::max(change->before, 1e-9);
    if (most && more <= ns) continue;
    most = &key;
    ns = more;
  }
  return most;
}

// A key of which a part is better, as in total.
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

// The reason that weighs most, of those that make a step longer.
std::string reasonOf(Comparison& comparison) {
  if (!comparison.one_sided.empty()) return "other operations";
  for (const RunPart part :
       {RunPart::kCalls, RunPart::kBytes, RunPart::kOwnCall, RunPart::kTransfer,
        RunPart::kWaitForPeers, RunPart::kExposed}) {
    if (const ComparedKey* key = heaviest(comparison.keys, part)) {
      return textOf(*key, part);
    }
  }
  return "";
}

void followInTotal(Comparison& comparison, ComparedKey& total) {
  const std::string reason = reasonOf(comparison);
  for (Change& change : total.changes) {
    if (change.kind == ChangeKind::kNone || change.kind == ChangeKind::kOpen) {
      continue;
    }
    const ComparedKey* same = change.kind == ChangeKind::kBetter
                                  ? betterToo(comparison.keys, change.part)
                                  : heaviest(comparison.keys, change.part);
    if (same) {
      change.follows = textOf(*same, change.part);
    } else if (isWorse(change) || change.kind == ChangeKind::kOther) {
      change.follows = reason;
    }
  }
}

}  // namespace

void findCauses(const Runs& base, const Runs& fresh, Comparison& comparison) {
  const double floor = comparison.settings.limits.floor;
  for (ComparedKey& key : comparison.keys) {
    if (Change* wait = worse(key, RunPart::kWaitForPeers)) {
      wait->culprit = culpritOf(base, fresh, key.key);
    }
    if (!key.key) continue;
    followWithin(key);
    Change* exposed = worse(key, RunPart::kExposed);
    if (exposed && exposed->follows.empty()) {
      tellSooner(base, fresh, *key.key, floor, *exposed);
    }
  }
  if (comparison.keys.empty() || comparison.keys.front().key) return;
  followInTotal(comparison, comparison.keys.front());
}

}  // namespace traced
