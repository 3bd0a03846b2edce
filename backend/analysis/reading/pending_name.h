// What a file is called until it is complete.

#pragma once

#include <string>

namespace traced {

// A new name beside `path`, that cannot be foretold.
std::string pendingNameOf(const std::string& path);

// Whether a path is such a name: its file is being written, or whoever wrote it
// was killed.
bool isPendingName(const std::string& path);

}  // namespace traced
