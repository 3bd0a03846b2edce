// Writes the trace of one rank as its recorder would.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "truth/clocks.h"
#include "truth/history.h"
#include "truth/program.h"

namespace traced::truth {

struct RankTrace {
  // Empty if nothing was written before the process was killed.
  std::string bytes;
  std::uint64_t stream_id = 0;
  // The index in the history for each operation id in the trace.
  std::map<std::uint64_t, std::uint32_t> operations;
  // Whether the trace contains everything the rank did.
  bool is_whole = true;
};

// `cut_at`: all living processes are killed at this time. `seconds_ago`: how
// long ago the run was.
RankTrace writeRank(const Program& program, const History& history,
                    std::uint32_t rank, std::int64_t cut_at,
                    std::int64_t seconds_ago);

}  // namespace traced::truth
