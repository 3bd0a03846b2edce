// Messages that differ, or that only one side has. See docs/diagnosis.md,
// "Messages".

#pragma once

#include <vector>

#include "analysis/diagnosis/trouble/knowledge.h"
#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// Of each pair: messages that differ are verdicts, those left over troubles.
struct PairFindings {
  std::vector<JobVerdict> verdicts;
  std::vector<Trouble> troubles;
};
PairFindings findPairTroubles(const Knowledge& knowledge);

}  // namespace traced
