// Names and finds the files of a stream.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace traced {

// One file of a stream. The names are STEM.traced, STEM.part-1.traced and so
// on. They are for people: only the writer of a stream relies on them.
struct TracePart {
  std::string path;
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
};

std::string partPath(const std::string& stem, std::uint32_t number);

// Returns the path without its suffix ".traced", or "" if it lacks the suffix.
// The stem of a later part still contains ".part-N".
std::string stemOf(const std::string& part_0);

// Returns the path of part 0, given the path of any part. Returns any other
// path unchanged.
std::string part0Of(const std::string& path);

// Returns 0 for part 0 and for names that are not a part.
std::uint32_t partNumberOf(const std::string& path);

// Returns whether `paths` contain a part of the stream or a directory above it.
// `part_0` is the path of the stream's part 0.
bool isAmong(const std::string& part_0, const std::vector<std::string>& paths);

// Returns the parts that exist as regular files, in order of number. Their
// `records` are not set.
std::vector<TracePart> existingParts(const std::string& part_0);

// Finds the current paths of traces by stream id. A trace may have been moved
// since its process was killed, or be mounted elsewhere.
//
// Returns the path of part 0 of each stream in `paths` and, recursively, in
// these directories. The first chunk of a file gives the stream id. Files that
// are no traces are skipped.
std::map<std::uint64_t, std::string> tracePaths(
    const std::vector<std::string>& paths);

// Returns whether two paths refer to the same file.
bool isSameFile(const std::string& a, const std::string& b);

}  // namespace traced
