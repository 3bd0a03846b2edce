#include "analysis/stream/source_capabilities.h"

namespace traced {

const char* nameOf(SourceCapability capability) {
  switch (capability) {
    case SourceCapability::kSplits:
      return "splits";
    case SourceCapability::kReduceOps:
      return "reduce_ops";
    case SourceCapability::kRoots:
      return "roots";
    case SourceCapability::kBuffers:
      return "buffers";
    case SourceCapability::kWaits:
      return "waits";
    case SourceCapability::kEnds:
      return "ends";
    case SourceCapability::kAges:
      return "ages";
    case SourceCapability::kExactEnds:
      return "exact_ends";
    case SourceCapability::kEveryOperation:
      return "every_operation";
  }
  return "";
}

}  // namespace traced
