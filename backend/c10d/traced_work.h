// TracedWork is the Work that callers get: the inner backend's, with a record
// of the first wait and of the release.

#pragma once

#include "c10d/forwarding.h"
#include "recorder/device_times.h"
#include "recorder/recorder.h"

namespace traced {

class TracedWork : public forwarding::ForwardingWork {
 public:
  // `wait_shows_end`: when wait() returns, the operation has ended. True of
  // Gloo; with NCCL wait() only makes the current stream wait, and `times`
  // (unless null) measures for how long.
  TracedWork(c10::intrusive_ptr<c10d::Work> inner, Recorder& recorder, OpId op,
             bool wait_shows_end, bool from_any_source, DeviceTimes* times);
  ~TracedWork() override;

  bool wait(std::chrono::milliseconds timeout) override;

  // Accounts for what recording this operation takes, `so_far_ns` until now.
  void sampleOwnTime(std::int64_t so_far_ns) noexcept {
    own_ns_.store(so_far_ns, std::memory_order_relaxed);
  }

 private:
  void recordWait(WaitRecord& record, bool completed) noexcept;
  void addOwnTimeSince(std::int64_t begin_ns) noexcept {
    const std::int64_t so_far_ns = own_ns_.load(std::memory_order_relaxed);
    if (so_far_ns == OwnTime::kNotSampled) return;
    own_ns_.store(so_far_ns + nowNs() - begin_ns, std::memory_order_relaxed);
  }
  void leaveRegistry();

  Recorder& recorder_;
  const OpId op_;
  // Written by who makes the Work, who waits for it first, who drops it last.
  // Of two that wait at the same instant one may not count.
  std::atomic<std::int64_t> own_ns_{OwnTime::kNotSampled};
  const bool wait_shows_end_;
  const bool from_any_source_;
  DeviceTimes* const times_;
  std::atomic<bool> waited_{false};
};

}  // namespace traced
