// What one rank's trace shows by itself: buffers that two operations use at
// once, and operations that nobody waited for.

#pragma once

#include <functional>

#include "analysis/diagnosis/rank_state.h"
#include "analysis/stream_table.h"

namespace traced {

using MakeRef =
    std::function<OperationRef(const AssembledOperation&, const v1::Call&)>;

// Sets `overlap` and `never_waited` of the state. `whole`: no record was lost.
void findLocal(const StreamTable& table, bool whole, RankState& state,
               const MakeRef& make_ref);

}  // namespace traced
