// JobLog is the job's stderr as the keeper holds it: descriptor 2. Whoever
// reads it waits until every holder has closed it, so the keeper must not be
// the last.

#pragma once

#include <sys/types.h>

#include <string>

namespace traced {

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

}  // namespace traced
