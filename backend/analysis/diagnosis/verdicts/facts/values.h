// Facts about the content of tensors.

#pragma once

#include <string>

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

// Ranks that did not receive what a rank sent.
struct TransferDiffers {
  OperationSubject operation;
  std::uint32_t sender = 0;
  std::uint64_t bytes = 0;
  Ranks wrong;
  // Ranks that received it.
  Ranks right;
};
// Receivers of one sender got different data. What it sent was not examined.
struct ReceiversDiffer {
  OperationSubject operation;
  std::uint32_t sender = 0;
  std::uint64_t bytes = 0;
  // Ranks with equal data, the most first.
  std::vector<Ranks> equal;
};
// A reduction gave ranks different results.
struct ResultsDiffer {
  OperationSubject operation;
  std::uint64_t bytes = 0;
  std::vector<Ranks> equal;
};
// Ranks hold a result of a reduction that is not the sum of the inputs.
struct SumDiffers {
  OperationSubject operation;
  std::uint64_t bytes = 0;
  Ranks wrong;
  // Ranks that hold the sum.
  Ranks right;
};
// The memory of senders changed between the call and the end of the operation.
struct InputChanged {
  OperationSubject operation;
  Ranks ranks;
  std::uint64_t bytes = 0;
};
// Inputs of an operation were the first with NaN on these ranks.
struct NanEntered {
  OperationSubject operation;
  Ranks ranks;
  // Elements with NaN, and all elements, on these ranks.
  std::uint64_t nan = 0;
  std::uint64_t elements = 0;
};
// Inputs grew until they were close to the largest number of their type.
struct GrowsTowardsLimit {
  OperationSubject operation;
  Ranks ranks;
  std::string dtype;
  // Absolute values: of the first quarter of the operations, and of the last.
  double first_maximum = 0;
  double last_maximum = 0;
  double largest = 0;
};
// Many inputs are the largest number of their type.
struct Saturates {
  OperationSubject operation;
  Ranks ranks;
  std::string dtype;
  double largest = 0;
  // In all operations with such inputs, on these ranks.
  std::uint64_t saturated = 0;
  std::uint64_t elements = 0;
};
// Sums are infinite though all inputs were finite.
struct SumOverflows {
  OperationSubject operation;
  std::string dtype;
  std::uint64_t operations = 0;
  std::uint64_t last_seq = 0;
};
// The input of one rank is far larger than those of the others.
struct NormStandsOut {
  OperationSubject operation;
  std::uint32_t rank = 0;
  // L2 norms: of the rank, and the largest one of the others.
  double norm = 0;
  double next_norm = 0;
};
// Copies of a model's tensor differ.
struct ReplicasDiffer {
  std::string name;
  std::uint64_t check = 0;
  // The training step. Absent if none was recorded.
  std::optional<std::int64_t> step;
  // Ranks with equal data, the most first.
  std::vector<Ranks> equal;
};
// How many of the tensors with copies differ in the first check with
// differences.
struct TensorsDiffer {
  std::uint64_t tensors = 0;
  std::uint64_t of = 0;
};
// In how many operations it happened, up to the last one.
struct SoOften {
  std::uint64_t operations = 0;
  std::uint64_t last_seq = 0;
};

using ValueFact =
    std::variant<TransferDiffers, ReceiversDiffer, ResultsDiffer, SumDiffers,
                 InputChanged, NanEntered, GrowsTowardsLimit, Saturates,
                 SumOverflows, NormStandsOut, ReplicasDiffer, TensorsDiffer,
                 SoOften>;

}  // namespace traced
