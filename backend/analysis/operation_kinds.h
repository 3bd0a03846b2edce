// What kinds of operations there are, as traces name them.

#pragma once

#include "traced/v1/trace.pb.h"

namespace traced {

constexpr bool isPointToPoint(v1::Operation op) {
  return op == v1::OPERATION_SEND || op == v1::OPERATION_RECV;
}

// Gloo runs these inside the caller's wait: their Works have no future, and
// nothing but a wait ever completes them.
constexpr bool glooEndsOnlyInWait(v1::Operation op) {
  return isPointToPoint(op) || op == v1::OPERATION_REDUCE_SCATTER ||
         op == v1::OPERATION_REDUCE_SCATTER_TENSOR ||
         op == v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED;
}

}  // namespace traced
