// The job's stderr as the keeper holds it, and the last line that it says
// there.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

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

// The last line of a job's log: what the keeper says when all processes of the
// job on this host have ended and some had not closed their traces.
//
// What became of a job on this host.
struct JobEnd {
  // Of the streams that were kept: part 0 of each, and their ranks.
  std::vector<std::string> traces;
  std::set<std::uint32_t> ranks;
  std::uint32_t world_size = 0;
  std::uint64_t streams = 0;
  // How many were not closed by their process; of those, what could not be
  // saved, and what is not yet.
  std::uint64_t unclosed = 0;
  std::uint64_t unsaved = 0;
  // In no trace and no shared memory: somebody removed both.
  std::uint64_t lost = 0;
  std::uint64_t being_saved = 0;
  // Records that they made and that are in no trace.
  std::uint64_t dropped_records = 0;

  bool hasAllRanks() const {
    return world_size > 0 && ranks.size() == world_size;
  }
};

// The verdict in a sentence; "" when nothing is decided. `title` is the folder
// as it is shown. Reads the ends of the traces.
std::string verdictLine(const JobEnd& job, const std::string& title);

// What is known without looking.
std::string plainLine(const JobEnd& job, const std::string& title);

}  // namespace traced
