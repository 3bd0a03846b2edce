#include "c10d/wrapper/examined_work.h"

#include <utility>

#include "c10d/wrapper/work_outcome.h"
#include "c10d/wrapper/work_registry.h"

namespace traced {
namespace {

void examineEnds(const Examinations& examinations) noexcept {
  for (const auto& each : examinations) each->examineEnd();
}

void skipEnds(const Examinations& examinations, SkipReason reason) noexcept {
  for (const auto& each : examinations) each->skipEnd(reason);
}

// A future orders the stream of its callbacks behind work on the tensors that
// it holds, and behind nothing if it holds none.
bool hasTensor(const at::IValue& value) {
  bool found = false;
  value.visit([&](const at::IValue& part) {
    found |= part.isTensor() && part.toTensor().defined();
    return found;
  });
  return found;
}

}  // namespace

c10::intrusive_ptr<c10d::Work> ExaminedWork::around(
    c10::intrusive_ptr<c10d::Work> inner, Examinations examinations) noexcept {
  try {
    return c10::make_intrusive<ExaminedWork>(inner, std::move(examinations));
  } catch (const std::bad_alloc&) {
    return inner;
  }
}

bool ExaminedWork::wait(std::chrono::milliseconds timeout) {
  leaveRegistry(*this);
  try {
    const bool completed = inner_->wait(timeout);
    if (completed && onDevice()) {
      streamHasEnd();
    } else if (completed) {
      examineEnds(examinations_);
    }
    return completed;
  } catch (...) {
    if (endedByError(*inner_)) {
      skipEnds(examinations_, SkipReason::kFailed);
    }
    throw;
  }
}

void ExaminedWork::synchronize() {
  inner_->synchronize();
  if (onDevice()) streamHasEnd();
}

void ExaminedWork::blockCurrentStream() {
  inner_->blockCurrentStream();
  if (onDevice()) streamHasEnd();
}

void ExaminedWork::streamHasEnd() {
  if (!by_future_->load()) return examineEnds(examinations_);
  // The current stream waits for the copies, too. The host does not: the
  // callback has run, or is running.
  std::unique_lock lock(mutex_);
  const auto future = future_;
  lock.unlock();
  future->wait();
}

// On a device, the host's knowledge orders no stream behind the copies. The
// first call is torch's own, which asks each Work before the program gets it.
bool ExaminedWork::isCompleted() {
  const bool by_torch = !asked_.exchange(true);
  if (!inner_->isCompleted()) return false;
  if (onDevice()) {
    if (by_torch) return true;
    for (const auto& each : examinations_) each->hostKnowsEnd();
  } else if (hasFailed(*inner_) == false) {
    examineEnds(examinations_);
  } else {
    skipEnds(examinations_, SkipReason::kFailed);
  }
  return true;
}

c10::intrusive_ptr<c10::ivalue::Future> ExaminedWork::getFuture() {
  const std::lock_guard lock(mutex_);
  if (future_) return future_;
  const auto inner = inner_->getFuture();
  if (!inner) return inner;
  const auto end = [examinations = examinations_, by_future = by_future_,
                    on_device = onDevice()](c10::ivalue::Future& completed) {
    const bool failed = completed.hasError();
    if (on_device) {
      if (failed || !hasTensor(completed.constValue())) return;
      by_future->store(true);
      examineEnds(examinations);
    } else if (failed) {
      skipEnds(examinations, SkipReason::kFailed);
    } else {
      examineEnds(examinations);
    }
  };
  future_ = inner->then(
      [end](c10::ivalue::Future& completed) {
        end(completed);
        return completed.value();  // throws the error
      },
      inner->elementType());
  return future_;
}

}  // namespace traced
