#include "analysis/compare/run_part.h"

namespace traced {

const char* nameOf(RunPart part) {
  switch (part) {
    case RunPart::kCalls:
      return "calls";
    case RunPart::kBytes:
      return "bytes";
    case RunPart::kOwnCall:
      return "own_call";
    case RunPart::kWaitForPeers:
      return "wait_for_peers";
    case RunPart::kTransfer:
      return "transfer";
    case RunPart::kExposed:
      return "exposed_wait";
    case RunPart::kStep:
      return "step";
    case RunPart::kInFlight:
      break;
  }
  return "bytes_in_flight";
}

}  // namespace traced
