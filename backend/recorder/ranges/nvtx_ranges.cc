#include "recorder/ranges/nvtx_ranges.h"

#include <dlfcn.h>

#include <cstddef>
#include <iterator>
#include <string>

#include "ring_io/support/find_function.h"

namespace traced {
namespace {

using Entry = NvtxRanges::Entry;
using Payload = NvtxRanges::Payload;

constexpr Entry field(std::uint64_t type, const char* name, std::size_t offset,
                      std::uint64_t flags = 0) {
  return {flags, type, name, nullptr, 0, offset, nullptr, nullptr};
}

constexpr Entry kEntries[] = {
    field(NvtxRanges::kCString, "operation", offsetof(Payload, operation),
          NvtxRanges::kIsMessage),
    field(NvtxRanges::kUint64, "rank", offsetof(Payload, rank)),
    field(NvtxRanges::kCString, "group", offsetof(Payload, group)),
    field(NvtxRanges::kUint64, "group_id", offsetof(Payload, group_id)),
    field(NvtxRanges::kUint64, "group_size", offsetof(Payload, group_size)),
    field(NvtxRanges::kRegistered, "group_ranks",
          offsetof(Payload, group_ranks)),
    field(NvtxRanges::kUint64, "seq", offsetof(Payload, seq)),
    field(NvtxRanges::kUint64, "batch", offsetof(Payload, batch)),
    field(NvtxRanges::kUint64, "bytes", offsetof(Payload, bytes)),
    field(NvtxRanges::kCString, "device", offsetof(Payload, device)),
    field(NvtxRanges::kInt64, "peer", offsetof(Payload, peer)),
    field(NvtxRanges::kInt64, "root", offsetof(Payload, root)),
    field(NvtxRanges::kCString, "source_line", offsetof(Payload, source_line)),
    field(NvtxRanges::kCString, "correlation_id",
          offsetof(Payload, correlation_id)),
    field(NvtxRanges::kUint64, "op_id", offsetof(Payload, op_id)),
    field(NvtxRanges::kUint64, "time_ns", offsetof(Payload, time_ns)),
    field(NvtxRanges::kCString, "labels", offsetof(Payload, labels)),
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
      !findFunction(library, "nvtxDomainRangePop", found.pop) ||
      !findFunction(library, "nvtxMarkA", found.mark) ||
      !findFunction(library, "nvtxDomainRegisterStringA",
                    found.register_text)) {
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

}  // namespace traced
