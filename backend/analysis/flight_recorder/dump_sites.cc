#include "analysis/flight_recorder/dump_sites.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "base/utf8.h"

namespace traced {
namespace {

constexpr std::size_t kMaxFileBytes = 512;
constexpr std::size_t kMaxNameBytes = 128;
// The line, and the words around it, as it is told.
constexpr std::size_t kLineBytes = 16;
// No frame of a dump takes less.
constexpr std::uint64_t kMinFrameBytes = 8;

// The end of a path says more than its beginning.
std::string_view lastOf(std::string_view text, std::size_t bytes) {
  return text.substr(text.size() - std::min(text.size(), bytes));
}

}  // namespace

bool isOfProgram(std::string_view file) {
  const absl::string_view path(file.data(), file.size());
  const bool is_python = absl::EndsWith(path, ".py");
  const auto isPartOf = [&](absl::string_view folder) {
    return absl::StrContains(path, folder);
  };
  return is_python && !isPartOf("/site-packages/torch/") &&
         !isPartOf("/dist-packages/torch/") &&
         !isPartOf("/torch/distributed/") && !isPartOf("/torch/nn/") &&
         !isPartOf("/torch/autograd/") && !isPartOf("/torch/utils/") &&
         !isPartOf("/site-packages/traced/") &&
         !isPartOf("/dist-packages/traced/");
}

DumpSites::DumpSites(v1::Payload& payload, std::uint64_t dump_bytes)
    : payload_(payload),
      frames_left_(dump_bytes / kMinFrameBytes),
      text_bytes_left_(dump_bytes) {}

std::uint32_t DumpSites::add(Value frames) {
  for (std::size_t i = 0; i < frames.size() && frames_left_ > 0; ++i) {
    --frames_left_;
    const Value frame = frames.at(i);
    const std::string_view file = frame.find("filename").asText().value_or("");
    if (!isOfProgram(file)) continue;
    const Site site{
        lastOf(file, kMaxFileBytes),
        frame.find("name").asText().value_or("").substr(0, kMaxNameBytes),
        frame.find("line").asInt().value_or(0)};
    const auto known = ids_.find(site);
    if (known != ids_.end()) return known->second;
    const auto& [path, name, line] = site;
    const std::size_t bytes = path.size() + name.size() + kLineBytes;
    if (bytes > text_bytes_left_) return 0;
    text_bytes_left_ -= bytes;
    v1::Stack& added = *payload_.add_stack();
    added.set_id(static_cast<std::uint32_t>(payload_.stack_size()));
    added.set_site(1);
    v1::Frame& told = *added.add_frame();
    told.set_file(toValidUtf8(path));
    told.set_function(toValidUtf8(name));
    told.set_line(static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(line, 0, UINT32_MAX)));
    ids_.emplace(site, added.id());
    return added.id();
  }
  return 0;
}

}  // namespace traced
