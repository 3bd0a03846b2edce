#include "analysis/diagnosis/mismatch/signature_difference.h"

namespace traced {

std::optional<VerdictKind> differenceOf(const Signature& a,
                                        const Signature& b) {
  if (a.op != b.op) return VerdictKind::kOpMismatch;
  // An all-to-all with splits and one without may well agree: the splits tell.
  const bool splits_tell = a.op == v1::OPERATION_ALL_TO_ALL_SINGLE &&
                           (a.bytes_in == 0 || b.bytes_in == 0);
  if (a.dtype != b.dtype && a.dtype != 0 && b.dtype != 0) {
    return VerdictKind::kDtypeMismatch;
  }
  if (a.root_plus_1 != b.root_plus_1) return VerdictKind::kRootMismatch;
  if (a.reduce_op != b.reduce_op) return VerdictKind::kReduceOpMismatch;
  const bool same_size = a.bytes_in == b.bytes_in && a.bytes_out == b.bytes_out;
  if (same_size || splits_tell) return std::nullopt;
  return VerdictKind::kSizeMismatch;
}

}  // namespace traced
