// A fake NVTX library: reads schemas and payloads like a tool, and stores their
// content.

#include <string>

#include "recorder/ranges/tool_ranges.h"

namespace {

using traced::NvtxRanges;

std::string calls;
const NvtxRanges::Schema* schema = nullptr;

std::string valueOf(const NvtxRanges::Entry& entry, const char* payload) {
  const char* at = payload + entry.offset;
  if (entry.type == NvtxRanges::kCString) {
    return *reinterpret_cast<const char* const*>(at);
  }
  return std::to_string(*reinterpret_cast<const std::uint64_t*>(at));
}

}  // namespace

extern "C" {
#define EXPORT [[gnu::visibility("default")]]

EXPORT void* nvtxDomainCreateA(const char* name) {
  calls += std::string("domain ") + name + "\n";
  return &calls;
}
EXPORT std::uint64_t nvtxPayloadSchemaRegister(void*,
                                               const NvtxRanges::Schema* s) {
  schema = s;
  calls += std::string("schema ") + s->name + ", " +
           std::to_string(s->static_size) + " bytes\n";
  return 7;
}
EXPORT int nvtxRangePushPayload(void*, const NvtxRanges::Data* data,
                                std::size_t) {
  calls += "push";
  std::string message;
  const auto* payload = static_cast<const char*>(data->payload);
  for (std::size_t i = 0; i < schema->entry_count; ++i) {
    const NvtxRanges::Entry& entry = schema->entries[i];
    const std::string value = valueOf(entry, payload);
    calls += std::string(" ") + entry.name + "=" + value;
    if (entry.flags & NvtxRanges::kIsMessage) message = value;
  }
  calls += " message=" + message + "\n";
  return 0;
}
EXPORT int nvtxDomainRangePop(void*) {
  calls += "pop\n";
  return 0;
}
EXPORT const char* fakeNvtxCalls() { return calls.c_str(); }
}
