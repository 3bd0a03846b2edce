// Expands the paths given by a user to files.

#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace traced {

struct InputFiles {
  // Regular files, each once. Files of a directory are sorted by path.
  std::vector<std::string> paths;
  // A sentence for every path that could not be read.
  std::vector<std::string> warnings;
};

// Searches directories recursively. Does not open files: their content decides
// whether they are traces.
InputFiles findInputFiles(absl::Span<const std::string> paths);

// Returns a new, unpredictable name beside `path`, for a file that is still
// being written.
std::string pendingNameOf(const std::string& path);

// Returns whether `path` is such a name. The file is incomplete, or its writer
// was killed.
bool isPendingName(const std::string& path);

}  // namespace traced
