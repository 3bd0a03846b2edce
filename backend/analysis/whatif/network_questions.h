// Asks what faster transfers would bring.

#pragma once

#include <vector>

#include "analysis/whatif/asked.h"

namespace traced::whatif {

// Asks about all transfers, and about those of an operation, of a role of
// groups, and between two nodes, most transfer time first. Both arguments must
// outlive the questions.
std::vector<Asked> networkQuestions(const ReplayJob& job,
                                    const WhatIfOptions& options);

}  // namespace traced::whatif
