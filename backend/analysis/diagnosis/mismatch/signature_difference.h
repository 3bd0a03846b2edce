// In what two calls differ that were to be one.

#pragma once

#include <optional>

#include "analysis/diagnosis/telling/verdict.h"
#include "analysis/job/signature.h"

namespace traced {

// The first that differs of: operation, dtype, root, reduce op, size. Bytes
// that differ only because the dtype does are no difference in size. Absent
// when the calls may differ so.
std::optional<VerdictKind> differenceOf(const Signature& a, const Signature& b);

}  // namespace traced
