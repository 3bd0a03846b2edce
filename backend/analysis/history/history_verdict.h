// HistoryVerdict is what became of the series of a history, and whether that is
// a regression.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"
#include "analysis/history/history_limits.h"
#include "analysis/history/ready_series.h"

namespace traced {

struct HistoryChange {
  // The first run of what is new, an index into History::runs.
  std::uint32_t run = 0;
  // Means from the change before to this one, and from here to the next, and of
  // how many runs.
  double before = 0;
  double after = 0;
  std::size_t runs_before = 0;
  std::size_t runs_after = 0;
  double p = 1;
  // A change of the latest runs.
  bool is_new = false;

  // To or from a run that stands alone: one that went wrong, unless it is the
  // latest.
  bool isOfOneRun() const { return runs_before == 1 || runs_after == 1; }
};

struct JudgedSeries {
  ReadySeries series;
  std::vector<HistoryChange> changes;
  // What the latest runs are, beside what was before the first change among
  // them. Open: worse, but by one run that may have gone wrong.
  ChangeKind kind = ChangeKind::kNone;
  double before = 0;
  double after = 0;
  // Of the changes among them the one that did most.
  std::optional<std::uint32_t> since;
  // It follows from what else became worse.
  bool follows = false;
  // Of a series that varies: what change of it, as a part of it, would be
  // significant now had it come with the latest `power_runs`, half of what is
  // news, and what would be found in 9 of 10 histories. Absent of too few runs.
  std::optional<double> significant_from;
  std::optional<double> found_from;
  std::size_t power_runs = 0;

  bool isNews() const { return kind != ChangeKind::kNone; }
  // Infinite where there was nothing.
  double ratio() const { return before == after ? 1 : after / before; }
};

// A kind of operation that the latest runs have and those before had not, or
// the other way round.
struct CameOrWent {
  std::size_t key = 0;
  bool is_gone = false;
  // The first run with it, or without it.
  std::uint32_t run = 0;
};

struct HistoryVerdict {
  HistoryLimits limits;
  // Indices into History::runs, of those that are compared.
  std::vector<std::uint32_t> runs;
  // How many series were tested, and the largest p of a change point in them.
  std::size_t tested = 0;
  double max_p = 0;
  // All of them, in the order of the keys.
  std::vector<JudgedSeries> series;
  std::vector<CameOrWent> came_or_went;
  std::vector<std::string> notes;
  // Why "no regression" cannot be said.
  std::vector<std::string> not_measured;

  bool hasRegression() const;
};

HistoryVerdict judgeHistory(const History& history,
                            const HistoryLimits& limits);

}  // namespace traced
