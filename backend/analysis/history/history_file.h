// Adds a run to a history, beside others that do the same.

#pragma once

#include <string>

#include "analysis/compare/run_figures.h"

namespace traced {

struct Appended {
  enum class Kind {
    kAdded,
    // The run is in it already.
    kThereAlready,
    // What is there is no history: nothing was written.
    kRefused,
    // It could not be opened or written: what is there is as it was.
    kFailed,
  };
  Kind kind = Kind::kAdded;
  // A sentence that begins with the path, unless it was added.
  std::string problem;
};

// Makes the file where there is none. Writes one line, at once, while it alone
// has the file's lock (flock). Of what is there only the beginning of each line
// is looked at, and the first is read.
Appended appendToHistory(const std::string& path, const RunFigures& run,
                         const std::string& label);

}  // namespace traced
