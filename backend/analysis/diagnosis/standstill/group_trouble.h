// The groups that stand still. See docs/diagnosis.md, "Standstill".

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/trouble/knowledge.h"
#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// Of each group the first operation that stands still; `aborted` gets those
// that were aborted before they could. `first_mismatch` has,
// by group, the number from which on its ranks disagree, 0 for none: what
// stands still there or later is explained by that.
std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted);

}  // namespace traced
