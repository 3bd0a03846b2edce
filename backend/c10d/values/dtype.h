// Maps torch's scalar types to the vocabulary of the trace.

#pragma once

#include <c10/core/ScalarType.h>

#include "base/operation.h"

namespace traced {

// Knows the types that all supported versions of torch have. Others become
// "other".
DType toDType(at::ScalarType type);

}  // namespace traced
