#include "analysis/budget/coverage.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

// Whether every step of a range was marked.
bool allMarked(const Marks& marks, const StepRange& range) {
  if (range.all()) return true;
  absl::flat_hash_set<std::uint64_t> seen;
  for (const Marks::Step& step : marks.steps()) {
    if (range.holds(step.number)) seen.insert(step.number);
  }
  return !seen.empty() && seen.size() - 1 == range.sizeMinus1();
}

// Whether tracing was off in any part of a range.
bool wasOff(const Marks& marks, const StepRange& range) {
  if (range.all()) return !marks.pauses().empty();
  const std::vector<Marks::Step>& steps = marks.steps();
  for (const Pause& pause : marks.pauses()) {
    // Pauses do not overlap: each step but the first is of one pause only.
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

std::string onRanks(const std::vector<std::uint32_t>& ranks) {
  return absl::StrCat(" on ", ranksText(ranks));
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

std::vector<std::string> Coverage::gaps(const TraceSet& set,
                                        const RunSummary& summary) const {
  std::vector<std::string> gaps;
  if (summary.worldSize() == 0) {
    gaps.push_back("the trace does not say how many ranks there were");
  }
  const std::string absent = summary.absentRanks();
  if (!absent.empty()) {
    gaps.push_back(absl::StrCat("no trace of ranks ", absent, " of ",
                                summary.worldSize()));
  }
  for (std::string& sentence : summary.losses().sentences()) {
    gaps.push_back(std::move(sentence));
  }
  if (set.unusable_bytes > 0) {
    gaps.push_back(absl::StrCat(set.unusable_bytes,
                                " bytes of the inputs could not be used"));
  }
  if (const std::uint64_t count = summary.leftOut().operations) {
    gaps.push_back(absl::StrCat(count,
                                " operations were not recorded (TRACED_SCOPE)",
                                onRanks(summary.leftOut().ranks)));
  }
  for (const Range& range : ranges_) {
    const std::string steps =
        range.steps.all() ? "" : absl::StrCat(" in steps ", range.steps.text());
    if (!range.unmarked.empty()) {
      gaps.push_back(absl::StrCat("not all of the steps ", range.steps.text(),
                                  " were marked", onRanks(range.unmarked)));
    }
    if (!range.switched_off.empty()) {
      gaps.push_back(absl::StrCat("tracing was switched off", steps,
                                  onRanks(range.switched_off)));
    }
  }
  return gaps;
}

std::vector<std::string> rowsWithoutRanks(const Budget& budget,
                                          std::uint32_t world_size) {
  std::vector<std::string> sentences;
  for (const BudgetRow& row : budget.rows) {
    if (!row.ranks) continue;
    const bool beyond = std::any_of(
        row.ranks->begin(), row.ranks->end(),
        [world_size](std::uint32_t rank) { return rank >= world_size; });
    if (!beyond) continue;
    sentences.push_back(
        absl::StrCat("line ", row.line, " of the budget is about ranks ",
                     row.ranks_text, ", but the job had only ", world_size));
  }
  return sentences;
}

}  // namespace traced
