// What `tracectl digest` makes of its inputs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/merge/pending_file.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

struct DigestOptions {
  // Of the end of each stream so many bytes stay as they are, one chunk at
  // least; of 0 nothing does. Absent: some of it, or all of each where sums
  // would take as much.
  std::optional<std::uint64_t> latest_bytes;
  // Of the program that writes it.
  std::string version;
};

struct DigestResult {
  std::uint64_t streams = 0;
  // How many of them are whole.
  std::uint64_t whole = 0;
  std::uint64_t bytes = 0;
  // Of the traces that were added up.
  std::uint64_t trace_bytes = 0;
};

// Adds up the selected streams that are in traces, and carries along all
// streams that are in digests. What comes of digests does not depend on which
// were brought together first. The file appears under `path` once it is
// complete. Memory: that of a report, and 16 MiB.
Result<DigestResult> writeDigests(const TraceSet& set, const std::string& path,
                                  Existing existing,
                                  const DigestOptions& options);

}  // namespace traced
