#include "analysis/compare/judge.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/resampling.h"

namespace traced {
namespace {

bool allEqual(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

// Returns whether any difference is a change: the count is equal in all runs of
// each side.
bool isExact(const Change& change) {
  return isCount(change.part) && allEqual(change.base) &&
         allEqual(change.fresh);
}

ChangeKind kindOf(RunPart part, bool more) {
  if (part == RunPart::kInFlight) return ChangeKind::kOther;
  return more ? ChangeKind::kWorse : ChangeKind::kBetter;
}

void judgeExact(Change& change) {
  change.log_ratio = {};
  const double before = std::max(change.before, 1e-9);
  const double ratio = std::log(std::max(change.after, 1e-9) / before);
  change.log_ratio = {ratio, ratio, ratio, 1};
  change.kind = change.before == change.after
                    ? ChangeKind::kNone
                    : kindOf(change.part, change.after > change.before);
}

class Judge {
 public:
  Judge(const Runs& base, const Runs& fresh, const CompareSettings& settings)
      : base_(base), fresh_(fresh), settings_(settings) {}

  // Returns a p-value for each change of one key.
  std::vector<double> test(const std::vector<Change*>& changes,
                           const std::optional<RunKey>& key) const {
    Columns before, after, differences;
    for (Change* change : changes) {
      const double least =
          leastValue(change->part, key, base_, fresh_, settings_.limits);
      before.push_back(logsOf(change->base, least));
      after.push_back(logsOf(change->fresh, least));
      if (settings_.paired) {
        differences.push_back(lessOf(after.back(), before.back()));
        change->log_ratio =
            pairedShift(differences.back(), settings_.limits.confidence);
      } else {
        change->log_ratio = twoSampleShift(before.back(), after.back(),
                                           settings_.limits.confidence);
      }
    }
    return settings_.paired ? signFlipTest(differences)
                            : relabelTest(before, after);
  }

  double leastP() const {
    return settings_.paired ? minSignFlipP(base_.size())
                            : leastRelabelP(base_.size(), fresh_.size());
  }

  void decide(Change& change) const {
    const double floor = std::log1p(settings_.limits.floor);
    const Shift& shift = change.log_ratio;
    const bool significant = *change.p <= settings_.limits.alpha;
    if (significant && shift.low > floor) {
      change.kind = kindOf(change.part, true);
    } else if (significant && shift.high < -floor) {
      change.kind = kindOf(change.part, false);
    } else if (shift.high > floor) {
      change.kind = ChangeKind::kOpen;
    }
  }

 private:
  static std::vector<double> logsOf(const std::vector<double>& values,
                                    double least) {
    std::vector<double> logs;
    for (const double value : values) {
      logs.push_back(std::log(std::max(value, least)));
    }
    return logs;
  }
  static std::vector<double> lessOf(const std::vector<double>& a,
                                    const std::vector<double>& b) {
    std::vector<double> less;
    for (std::size_t i = 0; i < a.size(); ++i) less.push_back(a[i] - b[i]);
    return less;
  }

  const Runs& base_;
  const Runs& fresh_;
  const CompareSettings& settings_;
};

}  // namespace

Judged judge(std::vector<ComparedKey>& keys, const Runs& base,
             const Runs& fresh, const CompareSettings& settings) {
  const Judge judge(base, fresh, settings);
  std::vector<std::vector<Change*>> tested;
  std::vector<std::vector<double>> p_of_parts;
  std::vector<double> p_of_keys;
  for (ComparedKey& key : keys) {
    std::vector<Change*> changes;
    for (Change& change : key.changes) {
      if (isExact(change)) {
        judgeExact(change);
      } else if (!change.small) {
        changes.push_back(&change);
      }
    }
    if (changes.empty()) continue;
    p_of_parts.push_back(judge.test(changes, key.key));
    p_of_keys.push_back(
        *std::min_element(p_of_parts.back().begin(), p_of_parts.back().end()));
    tested.push_back(std::move(changes));
  }
  const std::vector<double> adjusted = holmAdjusted(p_of_keys);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    for (std::size_t j = 0; j < tested[i].size(); ++j) {
      // Scale the parts' p-values like that of their key. This keeps the error
      // rate over all parts of all keys at that of the keys.
      const double by = adjusted[i] / p_of_keys[i];
      tested[i][j]->p = std::min(1.0, p_of_parts[i][j] * by);
      judge.decide(*tested[i][j]);
    }
  }
  Judged judged;
  judged.least_p = judge.leastP();
  judged.tested_keys = tested.size();
  judged.needed_p =
      settings.limits.alpha /
      static_cast<double>(std::max<std::size_t>(1, tested.size()));
  return judged;
}

}  // namespace traced
