// Classifies operations as named in traces.

#pragma once

#include "base/engine_traits.h"
#include "base/operation.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Converts a number from a trace. Unknown numbers become kUnspecified.
constexpr Operation toOperation(v1::Operation op) {
  return op >= 0 && op < kOperationCount ? static_cast<Operation>(op)
                                         : Operation::kUnspecified;
}

constexpr bool isPointToPoint(v1::Operation op) {
  return isPointToPoint(toOperation(op));
}

constexpr bool endsOnlyInWait(const EngineTraits& engine, v1::Operation op) {
  return endsOnlyInWait(engine, toOperation(op));
}

}  // namespace traced
