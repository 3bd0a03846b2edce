// Where traces are now, by the streams that are in them: a trace may have been
// moved since its process was killed, or is seen under another path.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace traced {

// Part 0 of each stream in `paths` and in what lies below these directories, as
// the first chunk of a file tells. Files that are no traces are passed over.
std::map<std::uint64_t, std::string> placesOf(
    const std::vector<std::string>& paths);

// Whether two paths lead to the same file.
bool isSameFile(const std::string& a, const std::string& b);

}  // namespace traced
