// ObservedWork passes the end of an operation to the program's callbacks, on
// the thread that learns of it.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "c10d/callbacks/observed_call.h"
#include "c10d/wrapper/forwarding.h"

namespace traced {

class ObservedWork : public forwarding::ForwardingWork {
 public:
  // `shows_end`: a returned wait and a completed future prove the end.
  // Otherwise it is unknown whether the operation failed, and futures show
  // nothing. Returns `inner` if memory is short.
  static c10::intrusive_ptr<c10d::Work> around(
      c10::intrusive_ptr<c10d::Work> inner, std::shared_ptr<ObservedCall> call,
      bool shows_end) noexcept;

  ObservedWork(c10::intrusive_ptr<c10d::Work> inner,
               std::shared_ptr<ObservedCall> call, bool shows_end)
      : ForwardingWork(std::move(inner)),
        call_(std::move(call)),
        shows_end_(shows_end) {}

  bool wait(std::chrono::milliseconds timeout) override;
  bool isCompleted() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  const std::shared_ptr<ObservedCall> call_;
  const bool shows_end_;
  std::atomic<bool> has_future_{false};
};

}  // namespace traced
