#include "cli/diagnose/diagnose_output.h"

namespace traced {

const char* stockNameOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kOpMismatch:
    case VerdictKind::kOrderMismatch:
      return "COLLECTIVE_TYPE_MISMATCH";
    case VerdictKind::kSizeMismatch:
    case VerdictKind::kSplitMismatch:
    case VerdictKind::kReduceOpMismatch:
    case VerdictKind::kRootMismatch:
      return "SIZE_OR_SYNTAX_MISMATCH";
    case VerdictKind::kDtypeMismatch:
      return "COLLECTIVE_DTYPE_MISMATCH";
    case VerdictKind::kUndecided:
      return "UNDECIDED";
    default:
      return "COLLECTIVE_STATE_MISMATCH";
  }
}

}  // namespace traced
