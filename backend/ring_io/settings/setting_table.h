// The settings, a row each: its name, how its value is read, and how it is told
// in the header of a trace. docs/reference/settings.md describes them for
// users.

#pragma once

#include <optional>
#include <span>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

struct Setting {
  const char* name;
  // Sets the option, or returns what would have been right.
  std::optional<std::string> (*read)(const std::string& value, Options& o);
  // Its value, as `read` would take it; nullopt: it is not told.
  std::optional<std::string> (*tell)(const Options& o);
};

std::span<const Setting> settingTable();

}  // namespace traced
