// Which ranks can hold others up in a collective by being late.

#pragma once

#include "traced/v1/definitions.pb.h"

namespace traced {

enum class HoldsUp { kAnyRank, kRoot, kAllButRoot };

// Returns kAnyRank for an operation without a root.
HoldsUp whoHoldsUp(v1::Operation op);

}  // namespace traced
