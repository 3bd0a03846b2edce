// Reads pickles that hold plain data, and executes nothing.

#pragma once

#include <string_view>

#include "analysis/flight_recorder/document.h"
#include "base/result.h"

namespace traced {

// Whether bytes begin as a pickle of protocol 2 to 5 does.
bool beginsAsPickle(std::string_view bytes);

// Reads None, booleans, integers, floats, texts, bytes (as texts), lists,
// tuples (as lists) and dicts. An opcode that could import or call code is an
// error that names it and its offset, as is damage. An integer beyond 64 bits
// becomes None. Time and memory grow with the input, however it is nested.
Result<Document> readPickle(std::string_view bytes);

}  // namespace traced
