// Defines the vocabulary of a call: operations, reduce ops, dtypes and device
// types.
//
// The values equal those of proto/traced/v1/definitions.proto;
// ring_io/chunks/encode_definitions.cc asserts it. This lets the code that
// handles tensors compile without protobuf headers.

#pragma once

#include <cstdint>

namespace traced {

enum class Operation : std::uint8_t {
  kUnspecified = 0,
  kAllReduce = 1,
  kAllReduceCoalesced = 2,
  kAllReduceSparse = 3,
  kBroadcast = 4,
  kReduce = 5,
  kAllGather = 6,
  kAllGatherCoalesced = 7,
  kAllGatherIntoTensor = 8,
  kAllGatherIntoTensorCoalesced = 9,
  kGather = 10,
  kGatherIntoTensor = 11,
  kScatter = 12,
  kReduceScatter = 13,
  kReduceScatterTensor = 14,
  kReduceScatterTensorCoalesced = 15,
  kAllToAll = 16,
  kAllToAllSingle = 17,
  kSend = 18,
  kRecv = 19,
  kBarrier = 20,
  kMonitoredBarrier = 21,
  kCoalesced = 22,
  kReconfigure = 23,
  kSplit = 24,
  kMerge = 25,
  kShrink = 26,
  kSuspend = 27,
  kResume = 28,
};

inline constexpr int kOperationCount = 29;

constexpr bool isPointToPoint(Operation op) {
  return op == Operation::kSend || op == Operation::kRecv;
}

enum class ReduceOp : std::uint8_t {
  kNone = 0,
  kSum = 1,
  kAvg = 2,
  kProduct = 3,
  kMin = 4,
  kMax = 5,
  kBand = 6,
  kBor = 7,
  kBxor = 8,
  kPremulSum = 9,
  kOther = 10,
};

enum class DeviceType : std::uint8_t {
  kNone = 0,
  kCpu = 1,
  kCuda = 2,
  kXpu = 3,
  kMeta = 4,
  kOther = 5,
};

enum class DType : std::uint8_t {
  kUnspecified = 0,
  kUint8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint16 = 6,
  kUint32 = 7,
  kUint64 = 8,
  kFloat16 = 9,
  kBFloat16 = 10,
  kFloat32 = 11,
  kFloat64 = 12,
  kComplex32 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBool = 16,
  kFloat8E4M3FN = 17,
  kFloat8E5M2 = 18,
  kFloat8E4M3FNUZ = 19,
  kFloat8E5M2FNUZ = 20,
  kFloat8E8M0FNU = 21,
  kFloat4E2M1FNX2 = 22,
  kQuint8 = 23,
  kQint8 = 24,
  kQint32 = 25,
  kOther = 26,
};

}  // namespace traced
