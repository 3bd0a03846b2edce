// Defines requests to the ranks of a running job and the ranks' answers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ring_io/control/setting_changes.h"

namespace traced {

// ControlRequest asks ranks of a running job to change settings. Ranks poll the
// file that contains it (trigger_file.h; docs/reference/format.md, "Requests").
struct ControlRequest {
  // Unique id of the request; never 0.
  std::uint64_t id = 0;
  // The requested global ranks, as the first and last rank of each run. Empty:
  // all ranks.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  NamedValues settings;

  bool concerns(std::uint32_t rank) const;
};

std::string textOf(const ControlRequest& request);
// Returns nullopt if the text is not a valid request.
std::optional<ControlRequest> parseRequest(std::string_view text);
// Reads a request from a file. Returns nullopt if the file has no valid request
// or must be ignored.
// Only files of at most 64 KiB owned by root or the user of this process are
// accepted.
std::optional<ControlRequest> readRequest(const std::string& path);

// A rank's answer to a request, stored as the text of a mark
// (MARK_KIND_SETTINGS).
struct ControlAnswer {
  // The requested settings that are now in force, such as
  // "enabled=0,watch=60s". "": none.
  std::string in_force;
  // Why the others were refused. "": none was refused.
  std::string refused;

  // Formats the answer: "enabled=0", "enabled=0; refused: ..." or "refused:
  // ...".
  std::string text() const {
    const bool both = !in_force.empty() && !refused.empty();
    return in_force + (both ? "; " : "") +
           (refused.empty() ? "" : std::string(kRefused) + refused);
  }
  static ControlAnswer fromText(std::string_view text) {
    const std::size_t at = text.find(kRefused);
    if (at == std::string_view::npos) return {std::string(text), ""};
    const std::string_view before = text.substr(0, at < 2 ? 0 : at - 2);
    return {std::string(before),
            std::string(text.substr(at + kRefused.size()))};
  }

 private:
  static constexpr std::string_view kRefused = "refused: ";
};

}  // namespace traced
