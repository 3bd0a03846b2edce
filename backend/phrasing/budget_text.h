// Sentences for `tracectl check`, and the gap sentences it shares with
// `tracectl compare`.

#pragma once

#include <string>
#include <vector>

#include "analysis/budget/agreement.h"
#include "analysis/budget/gap.h"
#include "analysis/budget/structure.h"

namespace traced {

// Returns, for example, "tracing was switched off in steps 0-9 on rank 3".
std::string gapText(const Gap& gap);
std::vector<std::string> gapTexts(const std::vector<Gap>& gaps);

// Returns, for example, "line 7 of the budget is about ranks 0,4, but the job
// had only 4".
std::string rowWithoutRanksText(const BudgetRow& row, std::uint32_t world_size);

// Returns, for example, "bytes of dp all_reduce float32, ranks all: not equal
// in all runs".
std::string disagreementText(const Disagreement& disagreement);

// Returns one sentence per deviation from the row: "rank 1 calls 3 x ... where
// the budget has ...".
std::vector<std::string> differenceTexts(const StructureRow& row,
                                         const StructureResult& result);

}  // namespace traced
