// EventQueue passes events from threads that must not run Python to one that
// does. Thread safety: any thread.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "c10d/callbacks/observed_call.h"

namespace traced {

class EventQueue {
 public:
  // Bounds the events that are queued, or will be.
  static constexpr std::size_t kMax = 1024;

  // Reserves room for one event. Returns false if the queue is full or closed.
  bool reserve() noexcept;
  // Gives the reserved room back.
  void cancel() noexcept;
  // Adds an event in reserved room. Returns false if memory is short.
  bool put(CallEvent event) noexcept;

  // Blocks until an event is available and returns the oldest. Returns nullopt
  // once the queue is closed and empty.
  std::optional<CallEvent> take();
  void close() noexcept;
  // Makes take() block forever from now on.
  void abandon() noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CallEvent> events_;
  std::size_t reserved_ = 0;  // includes events_
  bool closed_ = false;
  bool abandoned_ = false;
};

}  // namespace traced
