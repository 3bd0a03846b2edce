// TracedWork is the Work that callers receive. It wraps the inner backend's
// Work and records the first wait, or the release if there was no wait.

#pragma once

#include <memory>
#include <optional>

#include "c10d/wrapper/backward_pass.h"
#include "c10d/wrapper/forwarding.h"
#include "recorder/device/device_times.h"
#include "recorder/recorder.h"

namespace traced {

class TracedWork : public forwarding::ForwardingWork {
 public:
  // The proofs that the operation has ended.
  struct Shows {
    // A returned wait(). True for Gloo. With NCCL, wait() only makes the
    // current stream wait, and `times` (unless null) measures for how long.
    bool wait = false;
    // The future that the program requests.
    bool future = false;
  };
  // `return_ns`: the time when the call returned, if it is not recorded yet. It
  // is then recorded with the wait or the release.
  // `future_waits`: see EngineTraits.
  // `from_any_source`: a receive whose sender is recorded after the wait.
  // `times` and `communicator` measure waits on the device.
  TracedWork(c10::intrusive_ptr<c10d::Work> inner, Recorder& recorder, OpId op,
             std::optional<std::int64_t> return_ns, Shows shows,
             bool future_waits, bool from_any_source, DeviceTimes* times,
             CommunicatorId communicator);
  ~TracedWork() override;

  bool wait(std::chrono::milliseconds timeout) override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

  // Starts summing the recorder's overhead for this operation, from
  // `so_far_ns`.
  void sampleOwnTime(std::int64_t so_far_ns) noexcept {
    own_ns_.store(so_far_ns, std::memory_order_relaxed);
  }

 private:
  // Records that the Work was dropped without a wait, unless a backward pass
  // does so.
  void recordRelease() noexcept;
  // Returns the record of a wait that begins now.
  WaitRecord beginWait(DeviceCall& on_device) noexcept;
  // Sets how long it has taken until now.
  static void endWait(WaitRecord& record) noexcept;
  // Sets the outcome and the sender of `record`, and records it.
  void recordWait(WaitRecord& record, bool completed) noexcept;
  // Requests the future of an engine whose getFuture() waits.
  c10::intrusive_ptr<c10::ivalue::Future> waitInFuture();
  void addOwnTimeSince(std::int64_t begin_ns) noexcept {
    const std::int64_t so_far_ns = own_ns_.load(std::memory_order_relaxed);
    if (so_far_ns == OwnTime::kNotSampled) return;
    own_ns_.store(so_far_ns + nowNs() - begin_ns, std::memory_order_relaxed);
  }

  Recorder& recorder_;
  const OpId op_;
  const std::optional<std::int64_t> return_ns_;
  // Written by the thread that creates the Work, the first to wait, and the
  // last to drop it. If two threads wait simultaneously, one may not count.
  std::atomic<std::int64_t> own_ns_{OwnTime::kNotSampled};
  const Shows shows_;
  const bool future_waits_;
  const bool from_any_source_;
  DeviceTimes* const times_;
  const CommunicatorId communicator_;
  std::atomic<bool> waited_{false};
  std::atomic<bool> has_future_{false};
  // Set if the end of a backward pass may wait for the operation.
  std::shared_ptr<AwaitedOperation> awaited_;
};

// Records the end of the operation when its future completes. May throw what
// the future throws.
void recordEndOf(c10::ivalue::Future& future, Recorder& recorder, OpId op);

}  // namespace traced
