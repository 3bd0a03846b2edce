// What an operation does with the content of tensors, and so which hashes of
// TRACED_VALUES must be equal.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/operation.h"

namespace traced {

// The recorder adds so many elements up before it adds them to the others
// (values/signed_sum.h). Rounding depends on it.
inline constexpr std::size_t kSignedSumBlock = 1024;

enum class TransferKind : std::uint8_t {
  kNone,
  // The receiver gets the bits that the sender has.
  kCopies,
  // All members get the same result of a reduction.
  kReducesForAll,
  // The root gets the result, or each member that of its own part.
  kReducesApart,
};

constexpr TransferKind transferKind(Operation op) {
  switch (op) {
    case Operation::kBroadcast:
    case Operation::kAllGather:
    case Operation::kAllGatherCoalesced:
    case Operation::kAllGatherIntoTensor:
    case Operation::kAllGatherIntoTensorCoalesced:
    case Operation::kGather:
    case Operation::kGatherIntoTensor:
    case Operation::kScatter:
    case Operation::kAllToAll:
    case Operation::kAllToAllSingle:
    case Operation::kSend:
    case Operation::kRecv:
      return TransferKind::kCopies;
    case Operation::kAllReduce:
    case Operation::kAllReduceCoalesced:
      return TransferKind::kReducesForAll;
    case Operation::kReduce:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterTensor:
    case Operation::kReduceScatterTensorCoalesced:
      return TransferKind::kReducesApart;
    default:
      return TransferKind::kNone;
  }
}

constexpr bool reduces(TransferKind kind) {
  return kind == TransferKind::kReducesForAll ||
         kind == TransferKind::kReducesApart;
}

// Returns whether the operation uses inputs, or defines outputs, at the root
// only. Elsewhere they have no meaning.
constexpr bool readsAtRootOnly(Operation op) {
  return op == Operation::kBroadcast || op == Operation::kScatter;
}
constexpr bool fillsAtRootOnly(Operation op) {
  return op == Operation::kReduce || op == Operation::kGather ||
         op == Operation::kGatherIntoTensor;
}

// Returns whether each receiver gets other data from the same sender.
constexpr bool sendsOwnPartToEach(Operation op) {
  switch (op) {
    case Operation::kScatter:
    case Operation::kAllToAll:
    case Operation::kAllToAllSingle:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterTensor:
    case Operation::kReduceScatterTensorCoalesced:
      return true;
    default:
      return false;
  }
}

}  // namespace traced
