#include "analysis/diagnosis/gradients/call_role.h"

#include <algorithm>

namespace traced {
namespace {

bool isFloat(std::uint32_t dtype) {
  return (dtype >= v1::DTYPE_FLOAT16 && dtype <= v1::DTYPE_FLOAT64) ||
         dtype == Signature::kMixed;
}

bool isNumber(std::uint32_t dtype) {
  return isFloat(dtype) || dtype == v1::DTYPE_INT32 || dtype == v1::DTYPE_INT64;
}

bool isSum(v1::ReduceOp op) {
  return op == v1::REDUCE_OP_SUM || op == v1::REDUCE_OP_AVG ||
         op == v1::REDUCE_OP_PREMUL_SUM;
}

bool isReduction(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_ALL_REDUCE:
    case v1::OPERATION_ALL_REDUCE_COALESCED:
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_REDUCE_SCATTER:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED:
      return true;
    default:
      return false;
  }
}

bool isAllGather(v1::Operation op) {
  return op == v1::OPERATION_ALL_GATHER ||
         op == v1::OPERATION_ALL_GATHER_COALESCED ||
         op == v1::OPERATION_ALL_GATHER_INTO_TENSOR ||
         op == v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED;
}

// Signatures of these have no bytes.
bool isOfUnknownSize(v1::Operation op) {
  return op == v1::OPERATION_ALL_TO_ALL ||
         op == v1::OPERATION_ALL_TO_ALL_SINGLE ||
         op == v1::OPERATION_ALL_REDUCE_SPARSE;
}

}  // namespace

CallRole roleOf(const Signature& signature) {
  const std::uint64_t bytes = std::max(signature.bytes_in, signature.bytes_out);
  CallRole role;
  role.moves_data = isOfUnknownSize(signature.op) || bytes > kMaxMetricBytes;
  role.reduces = isReduction(signature.op) && isSum(signature.reduce_op) &&
                 isFloat(signature.dtype);
  role.gathers = isAllGather(signature.op) && isFloat(signature.dtype);
  role.is_from_root = signature.op == v1::OPERATION_BROADCAST ||
                      signature.op == v1::OPERATION_SCATTER;
  role.sums_metric = signature.op == v1::OPERATION_ALL_REDUCE &&
                     isSum(signature.reduce_op) && isNumber(signature.dtype) &&
                     bytes > 0 && !role.moves_data;
  return role;
}

}  // namespace traced
