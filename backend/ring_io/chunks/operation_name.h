// What a trace calls an operation.

#pragma once

#include "base/operation.h"

namespace traced {

// As in the trace: "all_reduce". "operation" for one that has no name.
const char* operationName(Operation op) noexcept;

}  // namespace traced
