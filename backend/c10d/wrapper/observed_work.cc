#include "c10d/wrapper/observed_work.h"

#include <chrono>
#include <optional>
#include <utility>

#include "c10d/callbacks/observers.h"
#include "c10d/wrapper/work_outcome.h"
#include "c10d/wrapper/work_registry.h"

namespace traced {
namespace {

// Queues the end when the future completes, on the engine's thread or here.
void passEndOf(c10::ivalue::Future& future,
               const std::shared_ptr<ObservedCall>& call) {
  const auto pending = PendingEnd::of(call);
  if (!pending) return;
  future.addCallback(
      [pending](c10::ivalue::Future& completed) {
        pending->completed(completed.hasError());
      },
      /*uses_future=*/false);
}

}  // namespace

c10::intrusive_ptr<c10d::Work> ObservedWork::around(
    c10::intrusive_ptr<c10d::Work> inner, std::shared_ptr<ObservedCall> call,
    bool shows_end) noexcept {
  try {
    return c10::make_intrusive<ObservedWork>(inner, std::move(call), shows_end);
  } catch (const std::bad_alloc&) {
    return inner;
  }
}

bool ObservedWork::wait(std::chrono::milliseconds timeout) {
  leaveRegistry(*this);
  try {
    const bool completed = inner_->wait(timeout);
    if (completed) {
      passEnd(call_, shows_end_ ? std::optional(false) : std::nullopt);
    }
    return completed;
  } catch (...) {
    if (endedByError(*inner_)) passEnd(call_, true);
    throw;
  }
}

bool ObservedWork::isCompleted() {
  if (!inner_->isCompleted()) return false;
  Observers* const observers = Observers::current();
  if (!observers || !observers->calledByPython()) return true;
  // Other engines, such as NCCL, do not support isSuccess().
  passEnd(call_, shows_end_ ? hasFailed(*inner_) : std::nullopt);
  return true;
}

c10::intrusive_ptr<c10::ivalue::Future> ObservedWork::getFuture() {
  auto future = inner_->getFuture();
  if (!future || !shows_end_ || has_future_.exchange(true)) return future;
  // The future's end is queued. The tensors may have changed when it is passed,
  // and keeping them until then costs memory.
  call_->takeTensors();
  try {
    passEndOf(*future, call_);
  } catch (...) {  // only a wait shows the end then
  }
  return future;
}

}  // namespace traced
