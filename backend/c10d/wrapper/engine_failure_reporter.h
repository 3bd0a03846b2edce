// EngineFailureReporter records that the engine of one group gave up, because
// an operation timed out or the communicator failed. The engine does not report
// which operation, so only a mark is recorded.
//
// An engine with abort hooks (torch 2.15) calls one on its watchdog thread.
// Among the others, classic NCCL stores its first error, which is polled.
// Neither way blocks, calls a device, or calls the interpreter.
//
// Thread safety: any thread. The recorder never destroys it, because an engine
// may call late.

#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "recorder/device/aborted_communicators.h"
#include "recorder/engine_checks.h"
#include "recorder/recorder.h"

namespace traced {

class EngineFailureReporter final : public EngineCheck {
 public:
  // `engine` is polled for its error, until EngineChecks::forget(). nullptr
  // disables polling.
  EngineFailureReporter(Recorder& recorder, std::uint32_t group,
                        CommunicatorId communicator, c10d::Backend* engine)
      : recorder_(recorder),
        group_(group),
        communicator_(communicator),
        engine_(engine) {}

  Recorder& recorder() const noexcept { return recorder_; }

  // Records that the engine gave up, and that its communicator was aborted.
  // Repetitions within 10 s add no mark.
  void gaveUp() noexcept;
  // Does the same with the reason that the communicator failed.
  void communicatorFailed() noexcept;

  // Switches to the communicator that the engine uses after a reconfiguration.
  void switchCommunicator(CommunicatorId communicator) noexcept {
    communicator_.store(communicator, std::memory_order_relaxed);
  }

  // Polls the engine, and records the failure if it has an error. Does nothing
  // after an abort of the communicator. The engine must still exist.
  void check() noexcept override;

 private:
  void gaveUp(const char* why) noexcept;

  Recorder& recorder_;
  const std::uint32_t group_;
  std::atomic<CommunicatorId> communicator_;
  c10d::Backend* const engine_;
  std::atomic<std::int64_t> reported_ns_{
      std::numeric_limits<std::int64_t>::min()};
};

}  // namespace traced
