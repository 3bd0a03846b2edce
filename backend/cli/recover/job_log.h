// The job's stderr, and the last line that the keeper writes to it.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "phrasing/last_line.h"

namespace traced {

// JobLog is the job's stderr, which the keeper holds as descriptor 2. A reader
// of a pipe blocks until every holder has closed it, so the keeper must not be
// the last.
class JobLog {
 public:
  // Records the identity of stderr at the time of construction.
  JobLog();

  // Returns true if a process has it as stdout or stderr, or if /proc does not
  // answer for a live process. Never waits for a disk.
  bool isHeldBy(pid_t process) const;
  // Closes it; later calls do nothing. Later output is lost.
  void release();

 private:
  // Its name in /proc, such as "pipe:[123]"; "" after release().
  std::string name_;
};

// The state of a job on this host, for the last line of its log. The keeper
// writes it after all processes of the job on this host ended, if some had not
// closed their traces.
struct JobEnd : EndedStreams {
  // Part 0 of each tracked stream, and the ranks of these streams.
  std::vector<std::string> traces;
  std::set<std::uint32_t> ranks;
  std::uint32_t world_size = 0;

  bool hasAllRanks() const {
    return world_size > 0 && ranks.size() == world_size;
  }
};

// Returns the verdict as a sentence; "" if undecided. `title` is the trace
// folder as users see it. Reads the ends of the traces.
std::string verdictLine(const JobEnd& job, const std::string& title);

}  // namespace traced
