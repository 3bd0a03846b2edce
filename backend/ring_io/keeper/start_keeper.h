// Starts the keeper of a job. It outlives the job and saves the rings that dead
// processes leave (docs/use/keeper.md).

#pragma once

#include <string>

#include "traced/v1/trace.pb.h"

namespace traced {

// Returns a key that is equal for all processes of one start of a job: the
// trace folder, the job and the name of the start.
// Without a name, it uses the attempt and the rendezvous. `trace` is the
// absolute path of part 0 of one process's trace.
std::string jobStartKey(const std::string& trace, const v1::Header& header);

// The parameters of startKeeper().
struct KeeperStart {
  // Absolute path of tracectl.
  std::string program;
  // Path of this process's ring.
  std::string ring;
  // Whether descriptor 2 is the stderr that the process started with. Otherwise
  // the keeper's stderr is /dev/null.
  bool has_stderr = true;
};

// Starts `tracectl keep` for the job of this process. Does nothing if one is
// running, if the ring is private memory or does not name its trace, or if this
// process adopts orphans. Call it after the ring is complete.
// Returns "", or one sentence if the start failed.
std::string startKeeper(const KeeperStart& start);

}  // namespace traced
