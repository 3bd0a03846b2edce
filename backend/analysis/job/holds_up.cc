#include "analysis/job/holds_up.h"

namespace traced {

HoldsUp whoHoldsUp(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_SCATTER:
      return HoldsUp::kRoot;
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_GATHER:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return HoldsUp::kAllButRoot;
    default:
      return HoldsUp::kAnyRank;
  }
}

}  // namespace traced
