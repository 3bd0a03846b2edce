// Decides which rank prints a call (TRACED_PRINT).

#pragma once

#include <cstdint>

#include "ring_io/settings/options.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns whether global rank `rank` prints the call. A call that is only
// estimated communicates nothing and is not printed.
inline bool isPrinted(PrintMode mode, std::uint32_t rank, const v1::Call& call,
                      const v1::Group& group) {
  if (call.simulated()) return false;
  switch (mode) {
    case PrintMode::kOff:
      return false;
    case PrintMode::kFirstRank:
      return rank == 0;
    case PrintMode::kAll:
      return true;
    case PrintMode::kLeader:
      break;
  }
  if (call.op() == v1::OPERATION_SEND) return true;
  if (call.op() == v1::OPERATION_RECV) return false;
  return group.group_rank() ==
         (call.root_plus_1() > 0 ? call.root_plus_1() - 1 : 0);
}

}  // namespace traced
