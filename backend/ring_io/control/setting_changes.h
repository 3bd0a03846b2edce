// Parses the settings that a running process can change.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ring_io/settings/options.h"

namespace traced {

// Names and values as the user writes them: {"watch", "60s"}.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Absent settings do not change.
struct SettingChanges {
  std::optional<bool> enabled;
  std::optional<std::int64_t> watch_ns;
  std::optional<StackMode> stacks;
};

// Parses changes. Values are those of the TRACED_ variables
// (docs/reference/settings.md); `enabled` is 0 or 1. The error is one sentence
// about the first value that is invalid or setting that cannot change.
Result<SettingChanges> parseChanges(const NamedValues& values);

// Formats the settings that are present: "enabled=0,watch=60s".
std::string textOf(const SettingChanges& changes);

}  // namespace traced
