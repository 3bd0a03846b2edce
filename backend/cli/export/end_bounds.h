// How exports write that the end of an operation is only known as a bound.

#pragma once

#include <cstdint>

#include "analysis/stream/observed_end.h"
#include "analysis/time_split/certified_times.h"

namespace traced {

inline const char* nameOf(EndBound bound) {
  if (bound == EndBound::kExact) return "exact";
  return bound == EndBound::kTold ? "told" : "seen";
}

// Returns by how much clocks let the transfer of an operation be off. An end
// that is a late bound leaves more open, downwards.
inline std::uint64_t transferOffByNs(CertifiedTime transfer,
                                     const AssembledOperation& op) {
  if (isLateBound(op)) transfer.low_ns = transfer.ns;
  return offByNs(transfer);
}

}  // namespace traced
