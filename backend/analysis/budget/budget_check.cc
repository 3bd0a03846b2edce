#include "analysis/budget/budget_check.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

void take(std::optional<FigureResult>& figure, const BudgetRow& row,
          std::uint64_t measured, FigureResult::FirstMiss place) {
  if (!figure) return;
  const AllowedRange allowed = allowedFor(row, figure->budget);
  ++figure->measured;
  figure->least = std::min(figure->least, measured);
  figure->most = std::max(figure->most, measured);
  if (measured > allowed.high) {
    figure->verdict = Verdict::kOver;
  } else if (measured >= allowed.low) {
    return;
  } else if (figure->verdict == Verdict::kOk) {
    figure->verdict = Verdict::kUnder;
  }
  ++figure->off;
  if (!figure->first_off) figure->first_off = place;
}

void conclude(std::optional<FigureResult>& figure) {
  if (!figure) return;
  if (figure->measured == 0) figure->least = 0;
  const bool none = figure->most == 0 && figure->verdict == Verdict::kUnder;
  if (none) figure->verdict = Verdict::kMissing;
}

// The usage that a row matches, by step (only steps with a call) and in total.
struct Matched {
  absl::flat_hash_map<std::size_t, Usage> by_step;
  Usage all;
};

Matched matchedBy(const BudgetRow& row, const RankUsage& usage) {
  Matched matched;
  for (const RankUsage::Entry& entry : usage.entries()) {
    if (!row.matches(entry.key)) continue;
    for (const StepUsage& step : entry.steps) {
      if (!row.steps.holds(usage.numberOf(step))) continue;
      matched.all.add(step.usage);
      if (row.per_step && step.step) {
        matched.by_step[*step.step].add(step.usage);
      }
    }
  }
  return matched;
}

}  // namespace

Verdict RowResult::verdict() const {
  Verdict verdict = Verdict::kOk;
  for (const auto* figure : {&count, &bytes}) {
    if (!*figure || (*figure)->verdict == Verdict::kOk) continue;
    if (verdict != Verdict::kOver) verdict = (*figure)->verdict;
  }
  return verdict;
}

std::uint64_t BudgetResult::rowsOff() const {
  return static_cast<std::uint64_t>(std::count_if(
      rows.begin(), rows.end(),
      [](const RowResult& row) { return row.verdict() != Verdict::kOk; }));
}

BudgetCheck::BudgetCheck(const Budget& budget)
    : budget_(budget), ranges_(budget.ranges()) {
  for (const BudgetRow& row : budget.rows) {
    RowResult& result = result_.rows.emplace_back();
    if (row.count) result.count.emplace().budget = *row.count;
    if (row.bytes) result.bytes.emplace().budget = *row.bytes;
  }
}

void BudgetCheck::add(const RankUsage& usage) {
  for (std::size_t i = 0; i < budget_.rows.size(); ++i) {
    if (!budget_.rows[i].hasRank(usage.rank())) continue;
    measure(budget_.rows[i], result_.rows[i], usage);
  }
  for (const RankUsage::Entry& entry : usage.entries()) findNew(entry, usage);
}

void BudgetCheck::measure(const BudgetRow& row, RowResult& result,
                          const RankUsage& usage) {
  const Matched matched = matchedBy(row, usage);
  const auto takeBoth = [&](const Usage& measured,
                            std::optional<std::uint64_t> step) {
    take(result.count, row, measured.count, {usage.rank(), step});
    take(result.bytes, row, measured.bytes, {usage.rank(), step});
  };
  if (!row.per_step) return takeBoth(matched.all, std::nullopt);
  for (std::size_t i = 0; i < usage.steps().size(); ++i) {
    const std::uint64_t number = usage.steps()[i].number;
    if (!row.steps.holds(number)) continue;
    const auto found = matched.by_step.find(i);
    takeBoth(found == matched.by_step.end() ? Usage() : found->second, number);
  }
}

void BudgetCheck::findNew(const RankUsage::Entry& entry,
                          const RankUsage& usage) {
  std::vector<const StepRange*> covered;
  for (const BudgetRow& row : budget_.rows) {
    if (row.hasRank(usage.rank()) && row.matches(entry.key)) {
      covered.push_back(&row.steps);
    }
  }
  std::vector<Usage> totals(ranges_.size());
  for (const StepUsage& step : entry.steps) {
    const auto number = usage.numberOf(step);
    const auto holds = [&](const StepRange& r) { return r.holds(number); };
    const auto range = std::find_if(ranges_.begin(), ranges_.end(), holds);
    if (range == ranges_.end()) {
      result_.outside += step.usage.count;
      continue;
    }
    result_.judged += step.usage.count;
    if (std::any_of(covered.begin(), covered.end(),
                    [&](const StepRange* r) { return r->holds(number); })) {
      continue;
    }
    const auto index = static_cast<std::size_t>(range - ranges_.begin());
    NewUsage& fresh = fresh_[{entry.key, index}];
    if (fresh.ranks.empty() || fresh.ranks.back() != usage.rank()) {
      fresh.ranks.push_back(usage.rank());
    }
    totals[index].add(step.usage);
    const Usage& now = range->all() ? totals[index] : step.usage;
    fresh.most.count = std::max(fresh.most.count, now.count);
    fresh.most.bytes = std::max(fresh.most.bytes, now.bytes);
  }
}

BudgetResult BudgetCheck::finish() && {
  for (RowResult& row : result_.rows) {
    conclude(row.count);
    conclude(row.bytes);
  }
  for (auto& [place, fresh] : fresh_) {
    fresh.key = place.first;
    fresh.steps = ranges_[place.second];
    result_.fresh.push_back(std::move(fresh));
  }
  return std::move(result_);
}

}  // namespace traced
