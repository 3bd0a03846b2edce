// Reads a JSON text into a Document.

#pragma once

#include <string_view>

#include "analysis/flight_recorder/document.h"
#include "base/result.h"

namespace traced {

// Whether a text begins as a JSON object does.
bool beginsAsJson(std::string_view text);

// A number beyond 64 bits becomes None. Time and memory grow with the input,
// however it is nested.
Result<Document> readJson(std::string_view text);

}  // namespace traced
