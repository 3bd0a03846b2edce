// Opens inputs for commands that copy chunks to other files.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "cli/inputs/inputs.h"

namespace traced {

struct CopySource {
  TraceSet set;
  // Number of its processes that still record on this host.
  std::uint64_t running = 0;
};

// Opens the inputs and recovers the rings of killed processes first. Excludes
// records that live processes have not written yet. If nothing can be copied,
// writes the reason to stderr. `verb` is the command, such as "merge".
std::optional<CopySource> openToCopy(Inputs& inputs, const std::string& verb);

// Returns the warnings of a copy. They include dumps, which have no chunks to
// copy. They omit other runs, because these are copied too.
std::vector<std::string> warningsOfCopy(const TraceSet& set,
                                        const std::string& verb);

}  // namespace traced
