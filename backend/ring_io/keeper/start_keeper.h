// Starts `tracectl keep` for the job that this process is part of, unless there
// is one: a process that outlives the job and saves what its processes leave in
// shared memory (docs/keeper.md).

#pragma once

#include <string>

namespace traced {

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
