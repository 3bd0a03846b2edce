// Fact is one finding of a rule: numbers, ranks and names. The layer `phrasing`
// turns facts into sentences.

#pragma once

#include <variant>

#include "analysis/diagnosis/verdicts/facts/calls.h"
#include "analysis/diagnosis/verdicts/facts/endings.h"
#include "analysis/diagnosis/verdicts/facts/gradients.h"
#include "analysis/diagnosis/verdicts/facts/shared.h"
#include "analysis/diagnosis/verdicts/facts/stuck_groups.h"
#include "analysis/diagnosis/verdicts/facts/times.h"
#include "analysis/diagnosis/verdicts/facts/values.h"
#include "analysis/diagnosis/verdicts/facts/wiring.h"

namespace traced {

using Fact =
    std::variant<PlainFact, SharedFact, StuckGroupFact, CallFact, MessageFact,
                 EndingFact, TimeFact, WiringFact, GradientFact, ValueFact>;

}  // namespace traced
