#include "analysis/budget/coverage.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace traced {
namespace {

// Returns whether every step of the range was marked.
bool allMarked(const Marks& marks, const StepRange& range) {
  if (range.all()) return true;
  absl::flat_hash_set<std::uint64_t> seen;
  for (const Marks::Step& step : marks.steps()) {
    if (range.holds(step.number)) seen.insert(step.number);
  }
  return !seen.empty() && seen.size() - 1 == range.sizeMinus1();
}

// Returns whether tracing was off during any part of the range.
bool wasOff(const Marks& marks, const StepRange& range) {
  if (range.all()) return !marks.pauses().empty();
  const std::vector<Marks::Step>& steps = marks.steps();
  for (const Pause& pause : marks.pauses()) {
    // Pauses do not overlap, so each step except the first of a pause belongs
    // to one pause only. The total work is linear.
    auto step = std::partition_point(
        steps.begin(), steps.end(), [&pause](const Marks::Step& each) {
          return each.end_position <= pause.begin_position;
        });
    for (; step != steps.end() && step->position < pause.end_position; ++step) {
      if (range.holds(step->number)) return true;
    }
  }
  return false;
}

}  // namespace

Coverage::Coverage(const std::vector<StepRange>& ranges) {
  for (const StepRange& range : ranges) ranges_.push_back({range, {}, {}});
}

void Coverage::add(const StreamTable& table) {
  const std::uint32_t rank = table.header.rank();
  for (Range& range : ranges_) {
    if (!allMarked(table.marks, range.steps)) range.unmarked.push_back(rank);
    if (wasOff(table.marks, range.steps)) range.switched_off.push_back(rank);
  }
}

std::vector<Gap> Coverage::gaps(const TraceSet& set,
                                const RunSummary& summary) const {
  using What = MissingPart::What;
  std::vector<Gap> gaps;
  const auto add = [&](What what, std::uint64_t count, const std::string& text,
                       const std::vector<std::uint32_t>& ranks) {
    gaps.emplace_back(MissingPart{what, count, text, ranks});
  };
  if (summary.worldSize() == 0) add(What::kWorldSize, 0, "", {});
  const std::string absent = summary.absentRanks();
  if (!absent.empty()) add(What::kRanks, summary.worldSize(), absent, {});
  for (Loss& loss : summary.losses().all()) gaps.emplace_back(std::move(loss));
  if (set.unusable_bytes > 0) add(What::kBytes, set.unusable_bytes, "", {});
  if (const std::uint64_t count = summary.leftOut().operations) {
    add(What::kOutOfScope, count, "", summary.leftOut().ranks);
  }
  for (const Range& range : ranges_) {
    const std::string steps = range.steps.text();
    if (!range.unmarked.empty()) add(What::kMarks, 0, steps, range.unmarked);
    if (!range.switched_off.empty()) {
      add(What::kRecording, 0, range.steps.all() ? "" : steps,
          range.switched_off);
    }
  }
  return gaps;
}

std::vector<const BudgetRow*> rowsWithoutRanks(const Budget& budget,
                                               std::uint32_t world_size) {
  std::vector<const BudgetRow*> rows;
  for (const BudgetRow& row : budget.rows) {
    if (!row.ranks) continue;
    const bool beyond = std::any_of(
        row.ranks->begin(), row.ranks->end(),
        [world_size](std::uint32_t rank) { return rank >= world_size; });
    if (beyond) rows.push_back(&row);
  }
  return rows;
}

}  // namespace traced
