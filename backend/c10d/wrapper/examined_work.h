// ExaminedWork examines the tensors of an operation, or of the members of a
// batch, when it ends, before the program knows of the end.
//
// Tensors on a device are copied on the stream that learns of the end. If the
// program may write them on another stream meanwhile, the copies do not count.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "c10d/values/batch_examinations.h"
#include "c10d/wrapper/forwarding.h"

namespace traced {

class ExaminedWork : public forwarding::ForwardingWork {
 public:
  // Returns `inner` if memory is short. `examinations` must not be empty.
  // Either all or none of them are on a device.
  static c10::intrusive_ptr<c10d::Work> around(
      c10::intrusive_ptr<c10d::Work> inner, Examinations examinations) noexcept;

  ExaminedWork(c10::intrusive_ptr<c10d::Work> inner, Examinations examinations)
      : ForwardingWork(std::move(inner)),
        examinations_(std::move(examinations)) {}

  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override;
  void blockCurrentStream() override;
  bool isCompleted() override;
  // Returns a future that completes after the examination.
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  bool onDevice() const { return examinations_.front()->onDevice(); }
  // The current stream waits for the operation from now on.
  void streamHasEnd();

  const Examinations examinations_;
  // Whether a callback of the future examined the end on a stream of its own.
  const std::shared_ptr<std::atomic<bool>> by_future_ =
      std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> asked_{false};
  std::mutex mutex_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

}  // namespace traced
