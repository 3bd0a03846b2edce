// Lists all settings: the name, how to parse the value, and how to print it in
// a trace's header. docs/reference/settings.md describes them for users.

#pragma once

#include <optional>
#include <span>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

struct Setting {
  const char* name;
  // Sets the option. If the value is invalid, returns a description of valid
  // values.
  std::optional<std::string> (*read)(const std::string& value, Options& o);
  // Returns the value in the form that `read` accepts. nullopt: the header
  // omits it.
  std::optional<std::string> (*format)(const Options& o);
};

std::span<const Setting> settingTable();

}  // namespace traced
