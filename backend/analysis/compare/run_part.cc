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

const char* wordsOf(RunPart part) {
  switch (part) {
    case RunPart::kOwnCall:
      return "own call";
    case RunPart::kWaitForPeers:
      return "wait for peers";
    case RunPart::kExposed:
      return "exposed wait";
    case RunPart::kInFlight:
      return "bytes in flight";
    default:
      return nameOf(part);
  }
}

}  // namespace traced
