// ToolRanges puts our operations into the timelines of other tools: NVTX
// ranges (TRACED_NVTX), and names for ranges of PyTorch's profiler
// (TRACED_PROFILER_RANGES). And it says whether calls are to be named to NCCL's
// profiler interface (TRACED_NCCL_PROFILER).

#pragma once

#include <memory>
#include <string>

#include "recorder/ranges/nvtx.h"
#include "ring_io/settings/options.h"

namespace traced {

class ToolRanges {
 public:
  static bool areWanted(const Options& options) {
    return options.nvtx || options.profiler_ranges || options.nccl_profiler;
  }

  // Says on stderr, once, if NVTX is wanted and not there.
  explicit ToolRanges(const Options& options);

  // nullptr: not wanted, or not there.
  const NvtxRanges* nvtx() const { return nvtx_.get(); }
  bool profilerRanges() const { return profiler_ranges_; }
  bool ncclProfiler() const { return nccl_profiler_; }
  // TRACED_LABELS as they were given.
  const char* labels() const { return labels_.c_str(); }

 private:
  const std::unique_ptr<NvtxRanges> nvtx_;
  const bool profiler_ranges_;
  const bool nccl_profiler_;
  const std::string labels_;
};

}  // namespace traced
