#include "analysis/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/compare/causes.h"
#include "analysis/compare/fitness.h"
#include "analysis/compare/judge.h"
#include "analysis/compare/one_sided.h"
#include "analysis/compare/side_values.h"
#include "analysis/statistics/resampling.h"

namespace traced {
namespace {

// Returns the figures that both sides have, total first.
std::vector<ComparedKey> comparedKeys(const Runs& base, const Runs& fresh,
                                      const CompareLimits& limits,
                                      std::vector<Remark>& notes) {
  std::vector<ComparedKey> keys;
  keys.push_back(
      {std::nullopt, changesOf(std::nullopt, base, fresh, limits, notes), ""});
  for (const RunKey& key : sharedKeys(base, fresh)) {
    keys.push_back({key, changesOf(key, base, fresh, limits, notes),
                    fresh.back().keys.at(key).site});
  }
  return keys;
}

Change* find(std::vector<ComparedKey>& keys, const ComparedKey& key,
             RunPart part) {
  for (ComparedKey& other : keys) {
    if (other.key == key.key) return changeOf(other, part);
  }
  return nullptr;
}

// Compares the program with itself (--same): changes that appear there too are
// not caused by the new program.
void compareWithSame(const Runs& base, const Runs& same, Comparison& result) {
  std::vector<Remark> notes;
  std::vector<ComparedKey> keys =
      comparedKeys(base, same, result.settings.limits, notes);
  judge(keys, base, same, result.settings);
  for (const ComparedKey& key : keys) {
    for (const Change& change : key.changes) {
      if (change.kind == ChangeKind::kNone ||
          change.kind == ChangeKind::kOpen) {
        continue;
      }
      result.not_measured.emplace_back(
          PartRemark{PartRemark::What::kUnlikeItself, change.part, key.key,
                     change.ratio() - 1});
    }
  }
  for (ComparedKey& key : result.keys) {
    for (Change& change : key.changes) {
      if (!change.p || (change.kind != ChangeKind::kWorse &&
                        change.kind != ChangeKind::kBetter)) {
        continue;
      }
      const Change* of_same = find(keys, key, change.part);
      if (!of_same) continue;
      const double scatter = std::max(std::abs(of_same->log_ratio.low),
                                      std::abs(of_same->log_ratio.high));
      if (std::abs(change.log_ratio.estimate) > scatter) continue;
      change.kind = ChangeKind::kOpen;
      result.notes.emplace_back(
          PartRemark{PartRemark::What::kWithinItself, change.part, key.key, 0});
    }
  }
}

// Returns how many runs per side can find a change, or nullopt if no number
// can.
std::optional<std::size_t> enoughRuns(double needed_p, bool paired) {
  for (std::size_t runs = 2; runs <= kMaxRuns; ++runs) {
    const double least =
        paired ? minSignFlipP(runs) : leastRelabelP(runs, runs);
    if (least <= needed_p) return runs;
  }
  return std::nullopt;
}

// Returns whether a longer step caused by this part must be detectable. Waits
// for peers are excepted: they vary most, and cost a step only through exposed
// waits, which are checked themselves.
bool mustBeSeen(const Change& change) {
  return isTime(change.part) && !change.small &&
         change.part != RunPart::kWaitForPeers;
}

// Reports the largest regression that could go undetected.
void reportUndetectable(const Judged& judged, Comparison& result) {
  if (!judged.canFind()) {
    result.not_measured.emplace_back(
        TooFewRuns{enoughRuns(judged.needed_p, result.settings.paired)});
    return;
  }
  const Change* worst = nullptr;
  const ComparedKey* of = nullptr;
  for (const ComparedKey& key : result.keys) {
    for (const Change& change : key.changes) {
      if (!mustBeSeen(change)) continue;
      if (worst && change.undetectedStepPart() <= worst->undetectedStepPart())
        continue;
      worst = &change;
      of = &key;
    }
  }
  if (!worst || worst->undetectedStepPart() <= result.settings.limits.floor)
    return;
  result.not_measured.emplace_back(PartRemark{PartRemark::What::kVaries,
                                              worst->part, of->key,
                                              worst->undetectedStepPart()});
}

bool matters(const Change& change) { return change.kind == ChangeKind::kWorse; }

}  // namespace

const char* nameOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kOpen:
      return "open";
    case ChangeKind::kWorse:
      return "worse";
    case ChangeKind::kBetter:
      return "better";
    case ChangeKind::kOther:
      return "other";
    case ChangeKind::kNone:
      break;
  }
  return "none";
}

double Change::ratio() const { return std::exp(log_ratio.estimate); }
double Change::low() const { return std::exp(log_ratio.low); }
double Change::high() const { return std::exp(log_ratio.high); }

double Change::detectable(const CompareLimits& limits) const {
  return std::exp(std::log1p(limits.floor) +
                  kFoundInNineOfTen * log_ratio.halfWidth()) -
         1;
}

double Change::undetectedStepPart() const {
  return share * (std::exp(log_ratio.halfWidth()) - 1);
}

Change* changeOf(ComparedKey& key, RunPart part) {
  for (Change& change : key.changes) {
    if (change.part == part) return &change;
  }
  return nullptr;
}

bool Comparison::hasFindings() const {
  if (!has_verdict) return false;
  if (!one_sided.empty() || !regrouped.empty()) return true;
  return std::any_of(keys.begin(), keys.end(), [](const ComparedKey& key) {
    return std::any_of(key.changes.begin(), key.changes.end(), matters);
  });
}

Comparison compareRuns(const std::vector<RunFigures>& base,
                       const std::vector<RunFigures>& fresh,
                       const std::vector<RunFigures>& same,
                       const CompareSettings& settings) {
  Comparison result;
  result.settings = settings;
  result.base_runs = base.size();
  result.fresh_runs = fresh.size();
  result.same_runs = same.size();
  result.stepped = base.front().stepped;
  result.steps = base.front().steps;
  result.world_size = base.front().world_size;
  result.unfit = whyUnfit(base, fresh, same, settings.paired);
  if (!result.unfit.empty()) return result;
  result.notes = otherFacts(base, fresh);
  findOneSided(base, fresh, result);
  result.keys = comparedKeys(base, fresh, settings.limits, result.notes);
  const Judged judged = judge(result.keys, base, fresh, settings);
  result.least_p = judged.least_p;
  result.needed_p = judged.needed_p;
  result.tested_keys = judged.tested_keys;
  result.has_verdict = base.size() > 1 && fresh.size() > 1;
  if (!result.has_verdict) {
    result.not_measured.emplace_back(OneRun());
    return result;
  }
  if (!same.empty()) compareWithSame(base, same, result);
  reportUndetectable(judged, result);
  findCauses(base, fresh, result);
  return result;
}

}  // namespace traced
