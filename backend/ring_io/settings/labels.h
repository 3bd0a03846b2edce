// Labels are what the user says about a process, as key=value pairs that every
// header carries.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace traced {

using Labels = std::map<std::string, std::string>;

// "key=value,key=value". The error says what is wrong with which of them.
Result<Labels> parseLabels(const std::string& text);

// Adds what the platform says in variables of its own (GPU_SERIAL, VM_ID), by
// their names in lower case, where the user said nothing. What cannot be a
// label is passed over: these variables are not ours.
void addPlatformLabels(
    Labels& labels,
    const std::function<std::optional<std::string>(const std::string&)>&
        lookup);

}  // namespace traced
