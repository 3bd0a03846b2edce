// Starts the keeper of a start of the job: what outlives the job and saves what
// its processes leave (docs/use/keeper.md).

#pragma once

#include <string>

#include "traced/v1/trace.pb.h"

namespace traced {

// Returns what all processes of one start of a job have in common: the folder
// of their traces, the job, and the name of the start; without a name, the
// attempt and where they met. `trace` is part 0 of the trace of one of them,
// absolute.
std::string jobStartKey(const std::string& trace, const v1::Header& header);

// Starts `tracectl keep` for the job that this process is part of, unless there
// is one: a process that outlives the job and saves what its processes leave in
// shared memory (docs/use/keeper.md).
struct KeeperStart {
  // Absolute path of tracectl.
  std::string program;
  // Of this process.
  std::string ring;
  // Whether descriptor 2 is where the process's words go.
  bool has_stderr = true;
};

// After the ring can be found. "" or one sentence: why there is no keeper.
std::string startKeeper(const KeeperStart& start);

}  // namespace traced
