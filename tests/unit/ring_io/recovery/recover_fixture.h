// A process that was killed, and its recovery.

#pragma once

#include "ring_io/recovery/recover_segments.h"
#include "support/recovered_trace.h"
#include "support/temp_dir.h"

namespace traced::testing {

// Upper bound of a flush on a machine under load.
inline constexpr std::chrono::seconds kFlushLimit{20};

class RecoverTest : public ::testing::Test {
 protected:
  Recorder& start() {
    options_.resources_ns = 0;  // the tests count records
    options_.directory = traces();
    options_.ring_directory = dir_.path();
    ProcessIdentity process;
    process.rank = 1;
    process.world_size = 2;
    return **Recorder::start(options_, process);
  }

  // Kills a process after four operations: two reached the file, two only the
  // ring, and the last one is active.
  void killOne() {
    inKilledProcess([&] {
      Recorder& recorder = start();
      auto group = recorder.addGroup(worldOfTwo());
      completeCall(recorder, *group, 1);
      completeCall(recorder, *group, 2);
      recorder.flush(kFlushLimit);
      completeCall(recorder, *group, 3);
      issueCall(recorder, *group, 4);
    });
  }

  std::vector<RecoveredSegment> recover(const RecoverOptions& options = {}) {
    return recoverSegments(segments(), options);
  }
  std::vector<std::string> segments() const {
    return findSegments({dir_.path()});
  }
  std::string traces() const { return dir_.path() + "/traces"; }
  std::string traceFile() const {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(traces())) {
      if (entry.is_regular_file()) return entry.path();
    }
    return "";
  }

  TempDir dir_;
  Options options_;
};

}  // namespace traced::testing
