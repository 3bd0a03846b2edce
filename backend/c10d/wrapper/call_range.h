// CallRange shows one call in the timelines of other tools, from its issue
// until the inner backend's call returns. Meanwhile it links NCCL's profiler
// events to the operation.

#pragma once

#include <ATen/record_function.h>

#include <algorithm>
#include <optional>
#include <string>

#include "recorder/tool_ranges.h"
#include "ring_io/chunks/operation_summary.h"
#include "ring_io/ring/operation_in_call.h"

namespace traced {

class CallRange {
 public:
  // `for_profiler`: the inner backend adds no range to PyTorch's profiler, so
  // this one does, if such ranges are enabled.
  // `joined`: the operation that this thread's NCCL calls belong to.
  CallRange(const ToolRanges& ranges, bool for_profiler,
            const RecordedGroup& group, const CallDescription& call,
            const ToolRanges::Issue& issue, const OperationInCall::Name& joined)
      : ranges_(ranges) {
    if (ranges.ncclProfiler()) in_call_.emplace(joined);
    in_nvtx_ = ranges.begin(group, call, issue);
    if (for_profiler && ranges.profilerRanges()) {
      beginRange(group, call.fields(), issue.seq);
    }
  }
  ~CallRange() {
    if (in_nvtx_) ranges_.end();
  }
  CallRange(const CallRange&) = delete;
  CallRange& operator=(const CallRange&) = delete;

 private:
  // Ignores errors: a missing range must not fail the job.
  void beginRange(const RecordedGroup& group,
                  const CallDescription::Fields& call,
                  std::uint64_t seq) noexcept {
    try {
      range_.emplace(at::RecordScope::USER_SCOPE);
      if (!range_->isActive()) return;
      range_->before(std::string("traced:") + operationName(call.op) +
                     " group=" + std::to_string(group.id()) +
                     " seq=" + std::to_string(seq) + " bytes=" +
                     std::to_string(std::max(call.bytes_in, call.bytes_out)));
    } catch (...) {
      range_.reset();
    }
  }

  const ToolRanges& ranges_;
  bool in_nvtx_ = false;
  std::optional<at::RecordFunction> range_;
  std::optional<OperationInCall> in_call_;
};

}  // namespace traced
