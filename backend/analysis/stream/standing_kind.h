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
  // A finalizer runs in a garbage collection.
  kCollectsGarbage,
  // Another thread holds the interpreter lock (GIL).
  kWaitsForGil,
  // In the function that destroys or aborts process groups.
  kTeardown,
  kCompiles,
  kLoadsData,
  kCheckpoint,
  kRuns,
  kSleeps,
  // Waits in a call of torch.distributed.
  kCommunicates,
  // Waits for a lock or another thread.
  kLock,
  // Waits for a socket, a pipe or another event.
  kEvent,
  kChildProcess,
  // Waits for a file, and for a terminal or a device.
  kFile,
  kDevice,
  // The kernel cannot interrupt it, usually because of a disk.
  kUninterruptible,
};

// Returns the name used in JSON, such as "data_loading".
const char* nameOf(StandingKind kind);

// Returns the call of a text such as "write /scratch/x": "write".
std::string_view callOf(std::string_view waits_in);

// `frames`: innermost first. `waits_in`: see ThreadSampleRows; "" if none.
StandingKind kindOf(const ThreadSampleRow& sample,
                    const std::vector<v1::Frame>& frames,
                    std::string_view waits_in);

}  // namespace traced
