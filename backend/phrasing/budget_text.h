// The sentences of `tracectl check`, and those about gaps of a run that
// `tracectl compare` has, too.

#pragma once

#include <string>
#include <vector>

#include "analysis/budget/agreement.h"
#include "analysis/budget/gap.h"
#include "analysis/budget/structure.h"

namespace traced {

// "tracing was switched off in steps 0-9 on rank 3".
std::string gapText(const Gap& gap);
std::vector<std::string> gapTexts(const std::vector<Gap>& gaps);

// "line 7 of the budget is about ranks 0,4, but the job had only 4".
std::string rowWithoutRanksText(const BudgetRow& row, std::uint32_t world_size);

// "bytes of dp all_reduce float32, ranks all: not equal in all runs".
std::string disagreementText(const Disagreement& disagreement);

// What of a row is otherwise: "rank 1 calls 3 x ... where the budget has ...".
std::vector<std::string> differenceTexts(const StructureRow& row,
                                         const StructureResult& result);

}  // namespace traced
