// Inputs for verbs that copy chunks to other files.

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
  // How many processes of it still record on this host.
  std::uint64_t running = 0;
};

// Opens the inputs, with what killed processes of theirs left, brought back,
// and without what living ones have not written yet. Where there is nothing to
// copy it says why on stderr. `verb`: "merge".
std::optional<CopySource> openToCopy(Inputs& inputs, const std::string& verb);

// Its warnings. Dumps that have no chunks are told, other runs are not: they
// are copied.
std::vector<std::string> warningsOfCopy(const TraceSet& set,
                                        const std::string& verb);

}  // namespace traced
