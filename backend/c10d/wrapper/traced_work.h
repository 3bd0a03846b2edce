// TracedWork is the Work that callers get: the inner backend's, with a record
// of the first wait, or of the release where nobody waited.

#pragma once

#include <optional>

#include "c10d/wrapper/forwarding.h"
#include "recorder/device/device_times.h"
#include "recorder/recorder.h"

namespace traced {

class TracedWork : public forwarding::ForwardingWork {
 public:
  // What shows that the operation has ended.
  struct Shows {
    // That wait() returned. True of Gloo; with NCCL wait() only makes the
    // current stream wait, and `times` (unless null) measures for how long.
    bool wait = false;
    // The future that the program asks for.
    bool future = false;
  };
  // `return_ns`: when the call returned, where that is still to be recorded:
  // with the wait that follows.
  TracedWork(c10::intrusive_ptr<c10d::Work> inner, Recorder& recorder, OpId op,
             std::optional<std::int64_t> return_ns, Shows shows,
             bool from_any_source, DeviceTimes* times,
             CommunicatorId communicator);
  ~TracedWork() override;

  bool wait(std::chrono::milliseconds timeout) override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

  // Accounts for what recording this operation takes, `so_far_ns` until now.
  void sampleOwnTime(std::int64_t so_far_ns) noexcept {
    own_ns_.store(so_far_ns, std::memory_order_relaxed);
  }

 private:
  void recordRelease() noexcept;
  void recordWait(WaitRecord& record, bool completed) noexcept;
  void addOwnTimeSince(std::int64_t begin_ns) noexcept {
    const std::int64_t so_far_ns = own_ns_.load(std::memory_order_relaxed);
    if (so_far_ns == OwnTime::kNotSampled) return;
    own_ns_.store(so_far_ns + nowNs() - begin_ns, std::memory_order_relaxed);
  }
  void leaveRegistry();

  Recorder& recorder_;
  const OpId op_;
  const std::optional<std::int64_t> return_ns_;
  // Written by who makes the Work, who waits for it first, who drops it last.
  // Of two that wait at the same instant one may not count.
  std::atomic<std::int64_t> own_ns_{OwnTime::kNotSampled};
  const Shows shows_;
  const bool from_any_source_;
  DeviceTimes* const times_;
  const CommunicatorId communicator_;
  std::atomic<bool> waited_{false};
  std::atomic<bool> has_future_{false};
};

// Has the end of an operation recorded when its future is complete. May throw
// what the future throws.
void recordEndOf(c10::ivalue::Future& future, Recorder& recorder, OpId op);

}  // namespace traced
