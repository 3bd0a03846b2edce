// The action that a verdict recommends, as JSON.

#pragma once

#include "analysis/diagnosis/verdicts/actions.h"
#include "cli/common/json.h"

namespace traced {

// Returns the object "action"; see docs/reference/json.md.
Json actionJson(const RecommendedAction& action);

}  // namespace traced
