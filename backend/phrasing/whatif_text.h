// Sentences about the answers to what-if questions.

#pragma once

#include <string>
#include <vector>

#include "analysis/whatif/whatif.h"

namespace traced {

// Returns the first sentences: what one rank or stage costs, and what imbalance
// costs in all. `network` is the factor by which the network becomes faster.
std::vector<std::string> whatIfSentences(const whatif::WhatIf& result);

// Returns what changes, for example "rank 5 computes like its peers".
std::string changeText(const whatif::Answer& answer, double network);

// Returns "19 % less", with the range if there is one: "19 % less: 16 to 21 %".
std::string savesText(const whatif::Estimate& saves);
// Returns, for example, "19 %"; one decimal below 10 %.
std::string partText(double part);
// Returns, for example, "16 to 21 %".
std::string partRangeText(double low, double high);

// Returns, for example, "rank 3 computes before all_reduce (64 MiB, \"dp\")".
std::string pathPartText(const whatif::PathPart& part);

// Returns sentences about what limits the answers.
std::vector<std::string> whatIfNotes(const whatif::WhatIf& result);

// Returns why the run cannot be replayed, and what to do.
std::string refusalText(const whatif::WhatIf& result);

}  // namespace traced
