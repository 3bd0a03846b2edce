#include "recorder/ranges/tool_ranges.h"

#include <dlfcn.h>

#include <cstddef>
#include <iterator>

#include "base/log_message.h"
#include "ring_io/support/find_function.h"

namespace traced {
namespace {

using Entry = NvtxRanges::Entry;
using Payload = NvtxRanges::Payload;

constexpr Entry number(const char* name, std::size_t offset) {
  return {0, NvtxRanges::kUint64, name, nullptr, 0, offset, nullptr, nullptr};
}

constexpr Entry kEntries[] = {
    {NvtxRanges::kIsMessage, NvtxRanges::kCString, "operation", nullptr, 0,
     offsetof(Payload, operation), nullptr, nullptr},
    number("group", offsetof(Payload, group)),
    number("seq", offsetof(Payload, seq)),
    number("bytes", offsetof(Payload, bytes)),
    number("op_id", offsetof(Payload, op_id)),
    {0, NvtxRanges::kCString, "labels", nullptr, 0, offsetof(Payload, labels),
     nullptr, nullptr},
};

constexpr NvtxRanges::Schema kPayloadSchema = {NvtxRanges::kFieldMask,
                                               "traced operation",
                                               NvtxRanges::kStatic,
                                               0,
                                               kEntries,
                                               std::size(kEntries),
                                               sizeof(Payload),
                                               0,
                                               0,
                                               nullptr};

// Returns the path of NVTX beside CUDA's runtime: torch's wheels put it there,
// outside the search path.
std::string besideCuda(const char* name) {
  for (const char* cuda : {"libcudart.so.13", "libcudart.so.12"}) {
    void* library = dlopen(cuda, RTLD_LAZY | RTLD_NOLOAD);
    void* function = library ? dlsym(library, "cudaGetLastError") : nullptr;
    Dl_info found{};
    if (!function || !dladdr(function, &found) || !found.dli_fname) continue;
    const std::string path = found.dli_fname;
    return path.substr(0, path.rfind('/') + 1) + name;
  }
  return name;
}

}  // namespace

std::unique_ptr<NvtxRanges> NvtxRanges::load(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    library = dlopen(besideCuda(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  Functions found{};
  if (!library ||
      !findFunction(library, "nvtxDomainCreateA", found.create_domain) ||
      !findFunction(library, "nvtxPayloadSchemaRegister",
                    found.register_schema) ||
      !findFunction(library, "nvtxRangePushPayload", found.push) ||
      !findFunction(library, "nvtxDomainRangePop", found.pop)) {
    return nullptr;
  }
  return std::unique_ptr<NvtxRanges>(new NvtxRanges(found));
}

NvtxRanges::NvtxRanges(const Functions& functions)
    : functions_(functions),
      domain_(functions_.create_domain("traced")),
      schema_(functions_.register_schema(domain_, &kPayloadSchema)) {}

void NvtxRanges::push(const Payload& payload) const noexcept {
  const Data data{schema_, sizeof payload, &payload};
  functions_.push(domain_, &data, 1);
}

void NvtxRanges::pop() const noexcept { functions_.pop(domain_); }

namespace {

std::unique_ptr<NvtxRanges> nvtxFor(const Options& options) {
  if (!options.nvtx) return nullptr;
  auto nvtx = NvtxRanges::load();
  if (!nvtx) {
    logMessage({"TRACED_NVTX=1 has no effect: ", NvtxRanges::kLibrary,
                " is missing; pip install nvidia-nvtx"});
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
