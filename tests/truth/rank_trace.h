// The trace of one rank, as its recorder would have written it.

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
  // Empty when nothing was written before the process was killed.
  std::string bytes;
  std::uint64_t stream_id = 0;
  // By the id of the operation in the trace: its index in the history.
  std::map<std::uint64_t, std::uint32_t> operations;
  // The trace holds what the rank did to its end, all of it.
  bool is_whole = true;
};

// `cut_at`: all processes that live then are killed. It was all so many seconds
// ago.
RankTrace writeRank(const Program& program, const History& history,
                    std::uint32_t rank, std::int64_t cut_at,
                    std::int64_t seconds_ago);

}  // namespace traced::truth
