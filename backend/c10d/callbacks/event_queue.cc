#include "c10d/callbacks/event_queue.h"

#include <new>
#include <utility>

namespace traced {

bool EventQueue::reserve() noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_ || reserved_ == kMax) return false;
  ++reserved_;
  return true;
}

void EventQueue::cancel() noexcept {
  const std::lock_guard lock(mutex_);
  --reserved_;
}

bool EventQueue::put(CallEvent event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    events_.push_back(std::move(event));
  } catch (const std::bad_alloc&) {
    --reserved_;
    return false;
  }
  changed_.notify_one();
  return true;
}

std::optional<CallEvent> EventQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return !abandoned_ && (closed_ || !events_.empty()); });
  if (events_.empty()) return std::nullopt;
  CallEvent event = std::move(events_.front());
  events_.pop_front();
  --reserved_;
  return event;
}

void EventQueue::abandon() noexcept {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
}

void EventQueue::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace traced
