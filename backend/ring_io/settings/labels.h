// Parses labels: key=value pairs that the user gives a process. Every header
// contains them.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace traced {

using Labels = std::map<std::string, std::string>;

// Parses "key=value,key=value". Skips empty items and trims blanks. Returns an
// error for an item without a key or "=", for a repeated key, and for too many
// labels or bytes.
Result<Labels> parseLabels(const std::string& text);

// Adds labels from platform variables (GPU_SERIAL, VM_ID), with lower-case
// names, unless the user set them.
// Values that are no valid label are skipped, because the platform, not the
// user, sets these variables.
void addPlatformLabels(
    Labels& labels,
    const std::function<std::optional<std::string>(const std::string&)>&
        lookup);

}  // namespace traced
