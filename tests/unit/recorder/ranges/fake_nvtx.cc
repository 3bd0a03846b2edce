// A fake NVTX library: reads schemas and payloads like a tool, and stores their
// content, also in the file FAKE_NVTX_LOG.PID if that is set.

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "recorder/ranges/nvtx_ranges.h"

namespace {

using traced::NvtxRanges;

std::string calls;
std::set<std::string> registered;
const NvtxRanges::Schema* schema = nullptr;

void note(const std::string& line) {
  calls += line + "\n";
  const char* log = std::getenv("FAKE_NVTX_LOG");
  if (!log) return;
  std::ofstream(std::string(log) + "." + std::to_string(getpid()),
                std::ios::app)
      << line << "\n";
}

std::string valueOf(const NvtxRanges::Entry& entry, const char* payload) {
  const char* at = payload + entry.offset;
  switch (entry.type) {
    case NvtxRanges::kCString:
      return *reinterpret_cast<const char* const*>(at);
    case NvtxRanges::kRegistered:
      return "registered " + **reinterpret_cast<const std::string* const*>(at);
    case NvtxRanges::kInt64:
      return std::to_string(*reinterpret_cast<const std::int64_t*>(at));
    default:
      return std::to_string(*reinterpret_cast<const std::uint64_t*>(at));
  }
}

}  // namespace

extern "C" {
#define EXPORT [[gnu::visibility("default")]]

EXPORT void* nvtxDomainCreateA(const char* name) {
  note(std::string("domain ") + name);
  return &calls;
}
EXPORT std::uint64_t nvtxPayloadSchemaRegister(void*,
                                               const NvtxRanges::Schema* s) {
  schema = s;
  note(std::string("schema ") + s->name + ", " +
       std::to_string(s->static_size) + " bytes");
  return 7;
}
EXPORT const void* nvtxDomainRegisterStringA(void*, const char* text) {
  return &*registered.insert(text).first;
}
EXPORT int nvtxRangePushPayload(void*, const NvtxRanges::Data* data,
                                std::size_t) {
  std::string line = "push";
  std::string message;
  const auto* payload = static_cast<const char*>(data->payload);
  for (std::size_t i = 0; i < schema->entry_count; ++i) {
    const NvtxRanges::Entry& entry = schema->entries[i];
    const std::string value = valueOf(entry, payload);
    line += std::string(" ") + entry.name + "=" + value;
    if (entry.flags & NvtxRanges::kIsMessage) message = value;
  }
  note(line + " message=" + message);
  return 0;
}
EXPORT int nvtxDomainRangePop(void*) {
  note("pop");
  return 0;
}
EXPORT void nvtxMarkA(const char* text) { note(std::string("mark ") + text); }
EXPORT const char* fakeNvtxCalls() { return calls.c_str(); }
}
