#include "recorder/ranges/tool_ranges.h"

#include "base/say.h"

namespace traced {
namespace {

std::unique_ptr<NvtxRanges> nvtxFor(const Options& options) {
  if (!options.nvtx) return nullptr;
  auto nvtx = NvtxRanges::load();
  if (!nvtx) {
    say({"TRACED_NVTX=1 has no effect: ", NvtxRanges::kLibrary,
         " (of the package nvidia-nvtx) is not to be found"});
  }
  return nvtx;
}

}  // namespace

ToolRanges::ToolRanges(const Options& options)
    : nvtx_(nvtxFor(options)),
      profiler_ranges_(options.profiler_ranges),
      nccl_profiler_(options.nccl_profiler),
      labels_(options.asSettings().at("TRACED_LABELS")) {}

}  // namespace traced
