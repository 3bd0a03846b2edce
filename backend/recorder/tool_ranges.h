// Shows operations in the timelines of other tools.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "recorder/print/issued_call.h"
#include "recorder/ranges/nvtx_ranges.h"
#include "recorder/recorded_group.h"
#include "ring_io/ring/call_description.h"
#include "ring_io/settings/options.h"

namespace traced::v1 {
class Group;
class Header;
}  // namespace traced::v1

namespace traced {

// ToolRanges provides NVTX ranges (TRACED_NVTX) and names for PyTorch profiler
// ranges (TRACED_PROFILER_RANGES). It also holds whether calls are linked to
// NCCL's profiler interface (TRACED_NCCL_PROFILER).
//
// Thread safety: any thread.
class ToolRanges {
 public:
  // Returns whether any of these settings is on.
  static bool areWanted(const Options& options) {
    return options.nvtx != NvtxMode::kOff || options.profiler_ranges ||
           options.nccl_profiler;
  }

  // `header`: that of the process's stream. Warns once on stderr if NVTX is
  // enabled but unavailable.
  ToolRanges(const Options& options, const v1::Header& header);
  ~ToolRanges();

  // What changes from call to call.
  struct Issue {
    std::uint64_t seq = 0;
    std::uint64_t batch = 0;
    std::uint64_t op_id = 0;
  };
  // Opens an NVTX range for a call of the group on the calling thread. Returns
  // false if there is none: NVTX is disabled, or memory is short.
  bool begin(const RecordedGroup& group, const CallDescription& call,
             const Issue& issue) const noexcept;
  // Closes the thread's innermost range.
  void end() const noexcept { nvtx_->pop(); }

  bool profilerRanges() const { return profiler_ranges_; }
  bool ncclProfiler() const { return nccl_profiler_; }

 private:
  static constexpr std::size_t kMaxCalls = 4096;

  // A call as all its repetitions describe it.
  struct Known {
    IssuedCall issued;
    std::string group;
    std::string device;
    NvtxRanges::Payload payload;
  };

  std::shared_ptr<const Known> known(const RecordedGroup& group,
                                     const CallDescription& call) const;
  std::shared_ptr<const Known> describe(const RecordedGroup& group,
                                        std::string_view call) const;
  NvtxRanges::Registered membersOf(std::uint32_t id,
                                   const v1::Group& group) const;

  const std::unique_ptr<NvtxRanges> nvtx_;
  const bool marks_;
  const bool profiler_ranges_;
  const bool nccl_profiler_;
  const std::unique_ptr<const v1::Header> header_;
  const std::string labels_;
  mutable std::mutex mutex_;
  // By the bytes of the description.
  mutable std::unordered_map<std::string, std::shared_ptr<const Known>> calls_;
  // The registered list of members, by the group's id: NVTX keeps them.
  mutable std::unordered_map<std::uint32_t, NvtxRanges::Registered> members_;
};

}  // namespace traced
