#include "recorder/annotations.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/say.h"
#include "traced/v1/definitions.pb.h"

namespace traced {
namespace {

using Names = std::array<std::string, kOperationCount>;

// The enum's names without their prefix (docs/format.md).
Names makeNames() {
  constexpr std::size_t kPrefix = sizeof "OPERATION_" - 1;
  Names names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name = v1::Operation_Name(static_cast<v1::Operation>(i));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    names[i] = name.size() > kPrefix ? name.substr(kPrefix) : "operation";
  }
  return names;
}

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

const char* operationName(Operation op) noexcept {
  static const Names& names = *new Names(makeNames());  // outlives its users
  const auto index = static_cast<std::size_t>(op);
  return index < names.size() ? names[index].c_str() : "operation";
}

Annotations::Annotations(const Options& options)
    : nvtx_(nvtxFor(options)),
      profiler_ranges_(options.profiler_ranges),
      nccl_profiler_(options.nccl_profiler),
      labels_(options.asSettings().at("TRACED_LABELS")) {}

}  // namespace traced
