// What a verb says where it cannot do what it was told.

#pragma once

#include <string>

namespace traced {

// Says a sentence on standard error, after the program's name.
void complain(const std::string& sentence);

// Whether a file may be written. Complains if it is there already, unless
// --force was given.
bool mayWrite(const std::string& path, bool force);

}  // namespace traced
