// The settings that a running process can change, and what they become.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ring_io/settings/options.h"

namespace traced {

// Names and values as a person gives them: {"watch", "60s"}.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

// What is absent stays as it is.
struct SettingChanges {
  std::optional<bool> enabled;
  std::optional<std::int64_t> watch_ns;
  std::optional<StackMode> stacks;
};

// The error is one sentence, about the first value that is not valid. Values
// are those of the TRACED_ variables (docs/reference/settings.md); `enabled` is
// 0 or 1.
Result<SettingChanges> parseChanges(const NamedValues& values);

// "enabled=0,watch=60s": those that are there.
std::string textOf(const SettingChanges& changes);

}  // namespace traced
