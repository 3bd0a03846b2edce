// The files of one stream: their names, and where they are now.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace traced {

// The files of one stream, by name: STEM.traced, then STEM.part-1.traced and so
// on. Names are for people; only who writes a stream goes by them.
struct TracePart {
  std::string path;
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
};

std::string partPath(const std::string& stem, std::uint32_t number);

// The stem of the path of part 0; "" when it is no such path.
std::string stemOf(const std::string& part_0);

// The path of part 0, given that of any part.
std::string part0Of(const std::string& path);

// 0 of part 0, and of what is named as no part at all.
std::uint32_t partNumberOf(const std::string& path);

// Whether a stream, by the path of its part 0, has one of `paths` as a part, or
// lies below one of them.
bool isAmong(const std::string& part_0, const std::vector<std::string>& paths);

// The parts that exist as regular files, by number; without their records.
std::vector<TracePart> existingParts(const std::string& part_0);

// Where traces are now, by the streams that are in them: a trace may have been
// moved since its process was killed, or is seen under another path.
//
// Part 0 of each stream in `paths` and in what lies below these directories, as
// the first chunk of a file tells. Files that are no traces are passed over.
std::map<std::uint64_t, std::string> placesOf(
    const std::vector<std::string>& paths);

// Whether two paths lead to the same file.
bool isSameFile(const std::string& a, const std::string& b);

}  // namespace traced
