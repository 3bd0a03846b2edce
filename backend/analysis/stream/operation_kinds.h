// What kinds of operations there are, of operations as traces name them.

#pragma once

#include "base/engine_traits.h"
#include "base/operation.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// A trace may name any number; those of no operation are of no kind.
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

// Whether the caller asked for no async_op, and so waits at once.
inline bool waitsAtOnce(const v1::Call& call) {
  return call.has_async() && !call.async();
}

}  // namespace traced
