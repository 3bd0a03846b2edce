// A word of a command that can be pasted into a shell.

#pragma once

#include <string>

namespace traced {

// `word`, quoted unless a shell takes it as it is.
std::string shellWord(const std::string& word);

}  // namespace traced
