// The names of trace_io/names.h, and those that only the analysis has.

#pragma once

#include <string>

#include "analysis/stream/assembled_operation.h"
#include "trace_io/names.h"  // IWYU pragma: export

namespace traced {

// Returns "issued", "ended" or "failed".
inline std::string nameOf(OperationState state) {
  switch (state) {
    case OperationState::kEnded:
      return "ended";
    case OperationState::kFailed:
      return "failed";
    case OperationState::kIssued:
      break;
  }
  return "issued";
}

// The name of an operation whose call is unknown.
inline constexpr char kUnknownOperation[] = "unknown";

}  // namespace traced
