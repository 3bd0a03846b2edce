// Who held others up in an operation with a root.

#pragma once

#include <cstddef>
#include <optional>

#include "analysis/time_split/time_split.h"

namespace traced {

// Returns whether this rank certainly was the last of all members and held
// others up, and by how much at least. Absent where the operation has no root,
// or where it is not known when all members were ready.
std::optional<OperationSplit::Arrival> rootArrival(const ArrivalRows& arrivals,
                                                   std::size_t operation);

}  // namespace traced
