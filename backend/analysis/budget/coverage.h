// Coverage checks whether a trace is complete enough to be judged. A gate must
// not pass if part of its input is missing.

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

  // Add streams in ascending order of rank.
  void add(const StreamTable& table);

  // Returns every reason why the run cannot be judged: data that was lost, not
  // closed, absent, switched off or not marked.
  std::vector<Gap> gaps(const TraceSet& set, const RunSummary& summary) const;

 private:
  struct Range {
    StepRange steps;
    // Ranks that did not mark every step of the range, and ranks whose tracing
    // was off during part of it.
    std::vector<std::uint32_t> unmarked;
    std::vector<std::uint32_t> switched_off;
  };

  std::vector<Range> ranges_;
};

// Returns the rows that name a rank which the job does not have.
std::vector<const BudgetRow*> rowsWithoutRanks(const Budget& budget,
                                               std::uint32_t world_size);

}  // namespace traced
