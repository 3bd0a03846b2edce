// ControlRequest is what somebody asks of the ranks of a running job, in the
// file that they look at now and then (trigger_file.h; docs/format.md,
// "Requests").

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ring_io/control/setting_changes.h"

namespace traced {

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

}  // namespace traced
