#include "analysis/stream/evidence.h"

namespace traced {

const char* nameOf(Evidence evidence) {
  switch (evidence) {
    case Evidence::kSplits:
      return "splits";
    case Evidence::kReduceOps:
      return "reduce_ops";
    case Evidence::kRoots:
      return "roots";
    case Evidence::kBuffers:
      return "buffers";
    case Evidence::kWaits:
      return "waits";
    case Evidence::kEnds:
      return "ends";
    case Evidence::kAges:
      return "ages";
    case Evidence::kExactEnds:
      return "exact_ends";
  }
  return "";
}

}  // namespace traced
