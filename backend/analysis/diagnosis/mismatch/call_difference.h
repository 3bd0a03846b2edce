// Compares the calls of two ranks: one call with another, and the sequences
// that follow.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/verdicts/facts/calls.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/job/signature.h"

namespace traced {

// Returns the first difference, in this order: operation, dtype, root, reduce
// op, size. A size that differs only because the dtype does is no difference.
// Nor is one of an all-to-all with splits, which findSplitMismatches() judges.
// Absent if the calls match.
std::optional<VerdictKind> differenceOf(const Signature& a, const Signature& b);

// Consecutive calls of two ranks, as signatures. Both start at the first
// difference.
struct CallSequences {
  std::vector<std::uint32_t> usual;
  std::vector<std::uint32_t> odd;
};

// Returns which shift turns the usual calls into the odd ones: swapped, extra
// or left out.
CallShift shiftOf(const CallSequences& sequences);

}  // namespace traced
