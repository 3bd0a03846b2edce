// Coverage says whether a trace holds all that a budget is about. A gate that
// lacks part of what it judges must not pass.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/budget/budget.h"
#include "analysis/budget/gap.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class Coverage {
 public:
  explicit Coverage(const std::vector<StepRange>& ranges);

  // Streams are added in the order of their ranks.
  void add(const StreamTable& table);

  // Everything that keeps the run from being judged: what was lost, not closed,
  // absent, switched off, or not marked.
  std::vector<Gap> gaps(const TraceSet& set, const RunSummary& summary) const;

 private:
  struct Range {
    StepRange steps;
    // Ranks that did not mark all of them, and that were switched off in them.
    std::vector<std::uint32_t> unmarked;
    std::vector<std::uint32_t> switched_off;
  };

  std::vector<Range> ranges_;
};

// The rows that are about ranks which the job does not have.
std::vector<const BudgetRow*> rowsWithoutRanks(const Budget& budget,
                                               std::uint32_t world_size);

}  // namespace traced
