// What somebody asks of the ranks of a running job, and what a rank says to it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ring_io/control/setting_changes.h"

namespace traced {

// ControlRequest is what somebody asks of the ranks of a running job, in the
// file that they look at now and then (trigger_file.h;
// docs/reference/format.md, "Requests").
struct ControlRequest {
  // Of this request only; never 0.
  std::uint64_t id = 0;
  // The global ranks that are asked, first and last of each run; none: all.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  NamedValues settings;

  bool concerns(std::uint32_t rank) const;
};

std::string textOf(const ControlRequest& request);
// nullopt: it is none.
std::optional<ControlRequest> parseRequest(std::string_view text);
// That in a file. nullopt: there is none, or it is not to be obeyed: only what
// root or the user of this process owns is, of at most 64 KiB.
std::optional<ControlRequest> readRequest(const std::string& path);

// What a rank says to a request, as the text of its mark (MARK_KIND_SETTINGS).
struct ControlAnswer {
  // Which of the settings that were asked for are in force now, such as
  // "enabled=0,watch=60s"; "": none.
  std::string in_force;
  // Why others are not; "": all are.
  std::string refused;

  // "enabled=0", "enabled=0; refused: ..." or "refused: ...".
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
