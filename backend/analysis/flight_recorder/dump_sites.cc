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

CodeKind dumpedCodeOf(std::string_view file) {
  const absl::string_view path(file.data(), file.size());
  const auto isPartOf = [&](absl::string_view folder) {
    return absl::StrContains(path, folder);
  };
  if (!absl::EndsWith(path, ".py") || isPartOf("-packages/torch/") ||
      isPartOf("-packages/traced/") || isPartOf("/torch/distributed/") ||
      isPartOf("/torch/nn/") || isPartOf("/torch/autograd/") ||
      isPartOf("/torch/utils/")) {
    return CodeKind::kLibrary;
  }
  if (isPartOf("/site-packages/") || isPartOf("/dist-packages/")) {
    return CodeKind::kPackage;
  }
  return isPartOf("/lib/python3") ? CodeKind::kLibrary : CodeKind::kProgram;
}

DumpSites::DumpSites(v1::Payload& payload, std::uint64_t dump_bytes)
    : payload_(payload),
      frames_left_(dump_bytes / kMinFrameBytes),
      text_bytes_left_(dump_bytes) {}

DumpSites::Site DumpSites::siteOf(Value frames) {
  Site site;
  for (std::size_t i = 0; i < frames.size() && frames_left_ > 0; ++i) {
    --frames_left_;
    const Value frame = frames.at(i);
    const std::string_view file =
        lastOf(frame.find("filename").asText().value_or(""), kMaxFileBytes);
    const CodeKind code = dumpedCodeOf(file);
    const bool is_package = code == CodeKind::kPackage;
    if (code == CodeKind::kLibrary) continue;
    if (is_package && !std::get<0>(site.package).empty()) continue;
    Place& place = is_package ? site.package : site.program;
    place = {file, frame.find("name").asName().substr(0, kMaxNameBytes),
             frame.find("line").asInt().value_or(0)};
    if (!is_package) return site;
  }
  std::swap(site.program, site.package);
  return site;
}

void DumpSites::tell(const Place& place, v1::Frame& frame) {
  const auto& [path, name, line] = place;
  frame.set_file(toValidUtf8(path));
  frame.set_function(toValidUtf8(name));
  frame.set_line(static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(line, 0, UINT32_MAX)));
}

std::uint32_t DumpSites::add(Value frames) {
  const Site site = siteOf(frames);
  if (std::get<0>(site.program).empty()) return 0;
  const auto known = ids_.find(site);
  if (known != ids_.end()) return known->second;
  const bool has_package = !std::get<0>(site.package).empty();
  std::size_t bytes = 0;
  for (const auto& [path, name, line] : {site.program, site.package}) {
    bytes += path.size() + name.size() + kLineBytes;
  }
  if (bytes > text_bytes_left_) return 0;
  text_bytes_left_ -= bytes;
  v1::Stack& added = *payload_.add_stack();
  added.set_id(static_cast<std::uint32_t>(payload_.stack_size()));
  if (has_package) {
    tell(site.package, *added.add_frame());
    added.set_package(1);
  }
  tell(site.program, *added.add_frame());
  added.set_site(static_cast<std::uint32_t>(added.frame_size()));
  ids_.emplace(site, added.id());
  return added.id();
}

}  // namespace traced
