// CallRange shows one call in the timelines of other tools, from its issue
// until the inner backend's call returns. Meanwhile it links NCCL's profiler
// events to the operation.

#pragma once

#include <ATen/record_function.h>

#include <optional>
#include <string>

#include "recorder/ranges/tool_ranges.h"
#include "ring_io/ring/operation_in_call.h"

namespace traced {

class CallRange {
 public:
  // `for_profiler`: the inner backend adds no range to PyTorch's profiler, so
  // this one does, if such ranges are enabled.
  // `joined`: the operation that this thread's NCCL calls belong to.
  CallRange(const ToolRanges& ranges, bool for_profiler,
            const NvtxRanges::Payload& call,
            const OperationInCall::Name& joined)
      : nvtx_(ranges.nvtx()) {
    if (ranges.ncclProfiler()) in_call_.emplace(joined);
    if (nvtx_) nvtx_->push(call);
    if (for_profiler && ranges.profilerRanges()) beginRange(call);
  }
  ~CallRange() {
    if (nvtx_) nvtx_->pop();
  }
  CallRange(const CallRange&) = delete;
  CallRange& operator=(const CallRange&) = delete;

 private:
  // Ignores errors: a missing range must not fail the job.
  void beginRange(const NvtxRanges::Payload& call) noexcept {
    try {
      range_.emplace(at::RecordScope::USER_SCOPE);
      if (!range_->isActive()) return;
      range_->before(std::string("traced:") + call.operation +
                     " group=" + std::to_string(call.group) +
                     " seq=" + std::to_string(call.seq) +
                     " bytes=" + std::to_string(call.bytes));
    } catch (...) {
      range_.reset();
    }
  }

  const NvtxRanges* const nvtx_;
  std::optional<at::RecordFunction> range_;
  std::optional<OperationInCall> in_call_;
};

}  // namespace traced
