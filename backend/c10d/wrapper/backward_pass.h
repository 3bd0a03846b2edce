// BackwardPass measures how long the program waits for operations at the end of
// a backward pass.
//
// DDP waits for futures inside torch, where no call reaches this backend. It
// does so in a callback that the autograd engine runs after the pass, and
// queues that callback once it has issued its last bucket. A callback that is
// queued at the first bucket therefore runs directly before DDP's. One that is
// queued from within it runs directly after DDP's.
//
// Only operations whose future was requested during the pass and whose Work was
// dropped get such a wait. Nothing here throws or takes the GIL, and add()
// never blocks. Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "c10d/wrapper/device_call.h"
#include "c10d/wrapper/forwarding.h"
#include "recorder/recorder.h"

namespace traced {

// An operation that a backward pass may wait for.
class AwaitedOperation {
 public:
  struct Call {
    Recorder& recorder;
    OpId op;
    // Completes when the operation ends. nullptr for devices.
    c10::intrusive_ptr<c10::ivalue::Future> future;
    // Measure the wait on the device. `times` may be nullptr.
    DeviceTimes* times;
    CommunicatorId communicator;
  };
  explicit AwaitedOperation(const Call& call) : call_(call) {}
  // Records the release if no pass did, because it failed.
  ~AwaitedOperation();

  // Notes that the Work was dropped without a wait. Returns false if the pass
  // is over: the caller then records the release.
  bool released(std::int64_t release_ns) noexcept {
    return release_ns_.exchange(release_ns) != kOver;
  }

 private:
  friend class BackwardPass;
  static constexpr std::int64_t kOver = -1;

  // Returns when the operation ended, at most `now_ns`, or 0 if it has not.
  std::int64_t endNs(std::int64_t now_ns) const noexcept;

  const Call call_;
  // When the program requested the future. It waits no earlier.
  const std::int64_t requested_ns_ = nowNs();
  std::atomic<std::int64_t> end_ns_{0};      // 0: not yet observed
  std::atomic<std::int64_t> release_ns_{0};  // 0: the Work exists
};

class BackwardPass : public std::enable_shared_from_this<BackwardPass> {
 public:
  // Adds an operation to the pass that the calling thread executes, or to the
  // only open pass if it executes none: communication hooks issue follow-up
  // operations on the engine's threads. Returns nullptr if there is no such
  // pass or another thread adds to it right now.
  static std::shared_ptr<AwaitedOperation> add(
      const AwaitedOperation::Call& call) noexcept;

  explicit BackwardPass(int graph_task) : graph_task_(graph_task) {}

 private:
  struct OpenPasses;
  // Returns the list of open passes, which is never destroyed.
  static OpenPasses& openPasses();
  // Returns the pass of a graph task, adding it if needed. Without a graph
  // task, returns the only open pass, else nullptr. Requires `open.mutex`. May
  // throw.
  static std::shared_ptr<BackwardPass> currentPass(OpenPasses& open,
                                                   int graph_task);

  // Makes the autograd engine call `callback` after those queued so far. Throws
  // if the calling thread executes no backward pass.
  void queue(void (BackwardPass::*callback)() noexcept);
  // The callbacks before and after DDP's.
  void begin() noexcept;
  void end() noexcept;
  // Starts to measure how long the wait blocks the device.
  void beginOnDevice();
  // Records the wait for an operation, or its release if the pass did not wait
  // for it. The program waits for one operation after the other: for this one
  // since `after_ns`. Returns the end of the wait.
  std::int64_t record(AwaitedOperation& operation, std::int64_t after_ns,
                      std::int64_t pass_end_ns) noexcept;

  const int graph_task_;
  std::vector<std::shared_ptr<AwaitedOperation>> operations_;
  // When the program began to wait. Known early if a callback after the pass
  // issues operations and then waits for them, as DDP with a static graph does
  // in its first pass.
  std::int64_t begin_ns_ = 0;
  // The operation whose wait gets the stall of the device.
  const AwaitedOperation* stalling_ = nullptr;
  std::optional<DeviceCall> on_device_;
};

}  // namespace traced
