// EngineNews is what the engine of one group says of itself: that it gave up,
// because an operation took too long or its communicator failed. Which one it
// was the engine does not say, so a mark is all that is recorded.
//
// An engine with abort hooks (torch 2.15) calls one on its watchdog's thread.
// Of the others NCCL's classic one remembers its first failure, for which it is
// asked. Both ways neither wait, nor call a device or the interpreter.
//
// Thread safety: any thread. Kept by the recorder, for ever: an engine may call
// late.

#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "recorder/device/aborted_communicators.h"
#include "recorder/engine_checks.h"
#include "recorder/recorder.h"

namespace traced {

class EngineNews final : public EngineCheck {
 public:
  // `engine` may be asked for its error while it is there; nullptr: it is not
  // to be asked.
  EngineNews(Recorder& recorder, std::uint32_t group,
             CommunicatorId communicator, c10d::Backend* engine)
      : recorder_(recorder),
        group_(group),
        communicator_(communicator),
        engine_(engine) {}

  Recorder& recorder() const noexcept { return recorder_; }

  // The engine says that it gives up. It may say so several times.
  void gaveUp() noexcept;
  // Because of that.
  void communicatorFailed() noexcept;

  // After a reconfiguration the engine goes on with another one.
  void goOnWith(CommunicatorId communicator) noexcept {
    communicator_.store(communicator, std::memory_order_relaxed);
  }

  // Only while the engine is there.
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
