// The rows about the tensors of one operation.

#pragma once

#include <vector>

#include "base/examined.h"
#include "c10d/values/tensor_parts.h"
#include "recorder/recorder.h"
#include "ring_io/settings/options.h"

namespace traced {

// The tensors of one operation that are read at one moment.
struct ExaminedTensors {
  ExaminedAt at;
  PartList hashed;
  PartList summarized;
  bool with_sums = false;
};

struct ValueRows {
  std::vector<HashRow> hashes;
  std::vector<StatisticsRow> statistics;
};

// Reads memory of the host. May throw std::bad_alloc.
ValueRows rowsOf(const std::vector<ExaminedTensors>& tensors);

// Records rows of one operation.
struct ValueRecorder {
  Recorder& recorder;
  OpId id;
  // Whether there are hashes and statistics of this operation.
  bool hashes;
  bool statistics;

  void record(ValueRows rows) const noexcept;
  // Records one row for all hashes and one for all statistics.
  void recordSkipped(ExaminedAt at, SkipReason reason) const noexcept;
};

}  // namespace traced
