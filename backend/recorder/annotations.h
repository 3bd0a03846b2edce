// Annotations puts our operations into the timelines of other tools: NVTX
// ranges (TRACED_NVTX), and names for ranges of PyTorch's profiler
// (TRACED_PROFILER_RANGES).

#pragma once

#include <memory>
#include <string>

#include "base/operation.h"
#include "recorder/nvtx.h"
#include "recorder/options.h"

namespace traced {

// As in the trace: "all_reduce".
const char* operationName(Operation op) noexcept;

class Annotations {
 public:
  // Says on stderr, once, if NVTX is wanted and not there.
  explicit Annotations(const Options& options);

  // nullptr: not wanted, or not there.
  const NvtxRanges* nvtx() const { return nvtx_.get(); }
  bool profilerRanges() const { return profiler_ranges_; }
  // TRACED_LABELS as they were given.
  const char* labels() const { return labels_.c_str(); }

 private:
  const std::unique_ptr<NvtxRanges> nvtx_;
  const bool profiler_ranges_;
  const std::string labels_;
};

}  // namespace traced
