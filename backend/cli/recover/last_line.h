// The last line of a job's log: what the keeper says when all processes of the
// job on this host have ended and some had not closed their traces.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "phrasing/last_line.h"

namespace traced {

// What became of a job on this host.
struct JobEnd : EndedStreams {
  // Of the streams that were kept: part 0 of each, and their ranks.
  std::vector<std::string> traces;
  std::set<std::uint32_t> ranks;
  std::uint32_t world_size = 0;

  bool hasAllRanks() const {
    return world_size > 0 && ranks.size() == world_size;
  }
};

// The verdict in a sentence; "" when nothing is decided. `title` is the folder
// as it is shown. Reads the ends of the traces.
std::string verdictLine(const JobEnd& job, const std::string& title);

}  // namespace traced
