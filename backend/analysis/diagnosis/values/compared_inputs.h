// ComparedInputs compares the inputs of each reduction between ranks: their
// norms, and whether they explain an infinite result.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/values/examined_stream.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/operation_index.h"

namespace traced {

struct ReductionAt {
  OperationKey key;
  std::uint64_t seq = 0;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
};

// Reductions in which the input of one rank has an L2 norm a thousand times as
// large as that of any other rank.
struct UnevenNorms {
  ReductionAt first;
  std::uint32_t rank = 0;
  double norm = 0;       // in the first one
  double next_norm = 0;  // the next largest one
  std::uint64_t operations = 0;
  std::uint64_t last_seq = 0;
};

// Sums that are infinite though all inputs were finite, with tensors of one
// size and type.
struct OverflowedSums {
  ReductionAt first;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  // Every member waited within the call, so nothing else wrote the result.
  bool is_sure = true;
  std::uint64_t operations = 0;
  std::uint64_t last_seq = 0;
};

// Memory: about 120 bytes per tensor of a reduction, for at most kMaxTensors.
class ComparedInputs {
 public:
  static constexpr std::size_t kMaxTensors = std::size_t{1} << 21;

  // Holds a reference to `catalog`.
  explicit ComparedInputs(const GroupCatalog& catalog) : catalog_(catalog) {}

  // Adds the statistics of a stream. Leaves out reduce_scatter() of lists: each
  // tensor of a list is added up to another result.
  void add(const ExaminedStream& stream);

  // Returns one entry per group and rank, if it occurs in three operations or
  // more and in a tenth of all. All members must have inputs, three of them not
  // zero, of 1,024 elements or more: programs also use reductions to collect
  // numbers that differ by their nature.
  std::vector<UnevenNorms> unevenNorms() const;
  // Returns one entry per group, size and type of tensors, if it occurs in
  // three operations or more, including the last one with statistics.
  std::vector<OverflowedSums> overflowedSums() const;

 private:
  struct Tensor {
    ReductionAt at;
    v1::DType dtype = v1::DTYPE_UNSPECIFIED;
    std::uint64_t elements = 0;
    std::uint64_t signature = 0;
    std::uint32_t inputs = 0;
    std::uint32_t inputs_not_zero = 0;
    // The rank with the largest norm, and the two largest norms.
    std::uint32_t rank = 0;
    double norm = 0;
    double next_norm = 0;
    bool is_finite = true;
    bool is_result_infinite = false;
    bool has_result = false;
    bool waits_at_once = true;
    // The calls of the ranks differ.
    bool is_unclear = false;

    void addInput(const StatisticsRow& row, std::uint32_t from);
    void addResult(const StatisticsRow& row);
  };
  // Returns nullptr if there are too many.
  Tensor* tensorOf(const ComparableOperations::Found& found,
                   std::uint32_t tensor);
  bool isComplete(const Tensor& tensor) const;
  // Returns the tensors by group and number.
  std::vector<const Tensor*> inOrder() const;

  const GroupCatalog& catalog_;
  OperationIndex index_;
  std::uint32_t next_ = 0;
  // By number of the operation and of the tensor.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, Tensor> tensors_;
};

}  // namespace traced
