// Observers passes operations to the program's callbacks
// (traced.on_operation).
//
// An event is passed on the thread that issues or waits, if that thread runs
// Python. An engine's own thread must not wait for the GIL: a thread that holds
// it may be joining that one. Such events are queued for a thread of traced.
//
// The process has at most one object, which is never destroyed. A forked child
// has none until it registers a callback itself. Thread safety: any thread.

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "c10d/callbacks/event_queue.h"
#include "c10d/callbacks/observed_call.h"

namespace traced {

class Observers {
 public:
  // How events reach Python.
  struct Program {
    // Returns whether this thread may wait for the GIL.
    bool (*may_call)() noexcept;
    // Returns whether this thread holds the GIL.
    bool (*holds_gil)() noexcept;
    // Passes an event to all its callbacks.
    void (*call)(const CallEvent& event) noexcept;
  };

  // Returns nullptr if the process has none.
  static Observers* current() noexcept;
  // Returns the object of the process, created if necessary.
  static Observers& ofProcess(const Program& program);

  // Add and remove a callback. Requires the GIL, which orders them.
  std::shared_ptr<Registration> add(Registration::Filter filter);
  void remove(const std::shared_ptr<Registration>& registration);

  // Returns the callbacks for an operation; none inside of a callback.
  Registrations registrationsFor(Operation op, const std::string& group,
                                 std::uint64_t seq);

  // Returns whether Python itself made the current call, which is one that
  // keeps the GIL. Otherwise C++ did, maybe with locks held, and no callback
  // may run: torch's Flight Recorder polls Works so.
  bool calledByPython() const noexcept { return program_.holds_gil(); }

  // Passes an event to its callbacks, or queues it.
  void pass(CallEvent event) noexcept;
  EventQueue& queue() { return queue_; }
  // Returns the next queued event, as EventQueue::take(). The calling thread
  // runs callbacks from then on, and nothing else.
  std::optional<CallEvent> takeQueued();

  // Passes nothing more, except queued events.
  void close() noexcept;

 private:
  explicit Observers(const Program& program) : program_(program) {}

  const Program program_;
  std::mutex mutex_;
  Registrations registrations_;  // guarded by mutex_
  EventQueue queue_;
};

// Passes the end of a call to its callbacks. Only the first end counts.
// `failed`: nullopt if it is not known.
void passEnd(const std::shared_ptr<ObservedCall>& call,
             std::optional<bool> failed) noexcept;

// PendingEnd is an end that an engine's thread will report. It reserves room in
// the queue early. Its event has no tensors: the engine's thread must not drop
// the last reference to one, which may need the GIL.
class PendingEnd {
 public:
  // Requires that the call has no tensors. Returns nullptr if nothing is
  // observed, or if memory is short. An end without room is counted as dropped
  // once it comes.
  static std::shared_ptr<PendingEnd> of(
      const std::shared_ptr<ObservedCall>& call);

  PendingEnd(Observers& observers, std::shared_ptr<ObservedCall> call,
             bool has_room)
      : observers_(&observers), call_(std::move(call)), has_room_(has_room) {}
  ~PendingEnd();
  PendingEnd(const PendingEnd&) = delete;
  PendingEnd& operator=(const PendingEnd&) = delete;

  // Queues the end, unless it has been passed already.
  void completed(bool failed) noexcept;

 private:
  Observers* const observers_;
  const std::shared_ptr<ObservedCall> call_;
  bool has_room_;  // false once the end is in the queue
};

}  // namespace traced
