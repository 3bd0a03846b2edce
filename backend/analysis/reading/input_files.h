// From the paths a user names to the files to look into.

#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace traced {

struct InputFiles {
  // Regular files, each once however often it is named; those of a directory
  // sorted by path.
  std::vector<std::string> paths;
  // A sentence for every path that could not be followed.
  std::vector<std::string> warnings;
};

// Follows directories recursively. Whether a file is a trace is not looked at:
// that is told by its content.
InputFiles findInputFiles(absl::Span<const std::string> paths);

// What a file is called until it is complete: a new name beside `path` that
// cannot be foretold.
std::string pendingNameOf(const std::string& path);

// Whether a path is such a name: its file is being written, or whoever wrote it
// was killed.
bool isPendingName(const std::string& path);

}  // namespace traced
