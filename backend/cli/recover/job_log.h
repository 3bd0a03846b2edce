// The job's stderr as the keeper holds it, and the last line that it says
// there.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "phrasing/last_line.h"

namespace traced {

// JobLog is the job's stderr as the keeper holds it: descriptor 2. Whoever
// reads it waits until every holder has closed it, so the keeper must not be
// the last.
class JobLog {
 public:
  JobLog();

  // Whether a process has it as stdout or stderr. Never waits for a disk. True
  // where /proc does not answer for a process that lives.
  bool isHeldBy(pid_t process) const;
  // Closes it, once. What is said later is lost.
  void release();

 private:
  // What /proc calls it, such as "pipe:[123]"; "" when it was released.
  std::string name_;
};

// What became of a job on this host, for the last line of its log: the keeper
// says it when all processes of the job on this host have ended and some had
// not closed their traces.
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
