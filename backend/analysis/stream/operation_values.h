// The statistics of each operation's tensors in a stream.

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"
#include "base/examined.h"
#include "trace_io/tensor_summary.h"

namespace traced {

struct ValuesOfOperation {
  TensorSummary inputs;
  TensorSummary outputs;
};

// By the id of the operation.
using OperationValues = absl::flat_hash_map<std::uint64_t, ValuesOfOperation>;

// Empty if none were recorded.
inline OperationValues operationValues(const StreamTable& table) {
  OperationValues values;
  for (const StatisticsRow& row : table.statistics) {
    ValuesOfOperation& of = values[row.op];
    (isAt(row, ExaminedAt::kEnd) ? of.outputs : of.inputs).add(row);
  }
  return values;
}

}  // namespace traced
