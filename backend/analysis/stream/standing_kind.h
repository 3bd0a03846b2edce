// Classifies what a sampled thread does, by fixed rules about its Python frames
// and the system call that it waits in. docs/reference/diagnosis.md lists them.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace_io/row.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

enum class StandingKind : std::uint8_t {
  kUnknown,
  // By a signal or a debugger.
  kStopped,
  kCollectsGarbage,
  // Another thread holds the interpreter lock (GIL).
  kWaitsForGil,
  // Ends process groups or the process.
  kTeardown,
  kCompiles,
  kLoadsData,
  kCheckpoint,
  // Waits for a file, or for a device below the file system.
  kFile,
  // Waits in a collective or another call of torch.distributed.
  kCommunicates,
  // Waits for a lock or another thread.
  kLock,
  kSleeps,
  // Waits for a network peer, a pipe or a child process.
  kOtherProcess,
  kRuns,
};

// Returns the name used in JSON, such as "data_loading".
const char* nameOf(StandingKind kind);

// `frames`: innermost first. `waits_in`: see ThreadSampleRows; "" if none.
StandingKind kindOf(const ThreadSampleRow& sample,
                    const std::vector<v1::Frame>& frames,
                    std::string_view waits_in);

}  // namespace traced
