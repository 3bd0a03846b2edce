// How the calls of two ranks differ: one call from another, and what each
// called from there on.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/verdicts/facts/calls.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/job/signature.h"

namespace traced {

// The first that differs of: operation, dtype, root, reduce op, size. Bytes
// that differ only because the dtype does are no difference in size. Absent
// when the calls may differ so.
std::optional<VerdictKind> differenceOf(const Signature& a, const Signature& b);

// What two ranks called one after the other, as signatures.
struct CallSequences {
  std::vector<std::uint32_t> usual;
  std::vector<std::uint32_t> odd;
};

// How the odd calls come about from the usual ones, from the first on in which
// they differ.
CallShift shiftOf(const CallSequences& sequences);

}  // namespace traced
