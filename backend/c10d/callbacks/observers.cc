#include "c10d/callbacks/observers.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/one_in.h"
#include "recorder/recorder.h"

namespace traced {
namespace {

std::atomic<Observers*> of_process{nullptr};

thread_local bool in_callback = false;

// Never reused, not even by a forked child. Starts at 1.
std::atomic<std::uint64_t> last_id{0};

bool includes(const Registration::Filter& filter, Operation op,
              const std::string& group, std::uint64_t seq) {
  return (filter.ops.empty() || filter.ops.contains(op)) &&
         (filter.groups.empty() || filter.groups.contains(group)) &&
         (filter.seq == 0 || filter.seq == seq) && isOneIn(filter.every, seq);
}

}  // namespace

Observers* Observers::current() noexcept {
  return of_process.load(std::memory_order_acquire);
}

Observers& Observers::ofProcess(const Program& program) {
  static const int hooked = pthread_atfork(nullptr, nullptr, [] {
    // The callbacks belong to the parent, and its locks may be held.
    of_process.store(nullptr);
    in_callback = false;
    Recorder::setObserved(false);
  });
  static_cast<void>(hooked);
  Observers* known = current();
  if (!known) {
    // Keeps each object reachable, so that leak checkers do not report it.
    static auto* const kept = new std::vector<Observers*>;
    known = new Observers(program);
    kept->push_back(known);
    of_process.store(known, std::memory_order_release);
  }
  return *known;
}

std::shared_ptr<Registration> Observers::add(Registration::Filter filter) {
  const std::lock_guard lock(mutex_);
  auto added = std::make_shared<Registration>(++last_id, std::move(filter));
  registrations_.push_back(added);
  Recorder::setObserved(true);
  return added;
}

void Observers::remove(const std::shared_ptr<Registration>& registration) {
  const std::lock_guard lock(mutex_);
  std::erase(registrations_, registration);
  if (registrations_.empty()) Recorder::setObserved(false);
}

Registrations Observers::registrationsFor(Operation op,
                                          const std::string& group,
                                          std::uint64_t seq) {
  Registrations found;
  if (in_callback) return found;
  const std::lock_guard lock(mutex_);
  std::copy_if(registrations_.begin(), registrations_.end(),
               std::back_inserter(found), [&](const auto& registration) {
                 return includes(registration->filter, op, group, seq);
               });
  return found;
}

void Observers::pass(CallEvent event) noexcept {
  const bool follows_issue = event.is_end && event.call->issue_queued;
  if (!follows_issue && !in_callback && program_.may_call()) {
    in_callback = true;
    program_.call(event);
    in_callback = false;
    return;
  }
  const auto call = event.call;
  if (!event.is_end) call->issue_queued = true;
  if (!queue_.reserve() || !queue_.put(std::move(event))) countDropped(*call);
}

std::optional<CallEvent> Observers::takeQueued() {
  in_callback = true;
  return queue_.take();
}

void Observers::close() noexcept {
  of_process.store(nullptr);
  Recorder::setObserved(false);
  queue_.close();
}

void passEnd(const std::shared_ptr<ObservedCall>& call,
             std::optional<bool> failed) noexcept {
  if (call->ended.exchange(true)) return;
  Observers* const observers = Observers::current();
  if (!observers) return;
  observers->pass({call, true, failed, call->takeTensors()});
}

std::shared_ptr<PendingEnd> PendingEnd::of(
    const std::shared_ptr<ObservedCall>& call) {
  Observers* const observers = Observers::current();
  if (!observers) return nullptr;
  const bool has_room = observers->queue().reserve();
  try {
    return std::make_shared<PendingEnd>(*observers, call, has_room);
  } catch (const std::bad_alloc&) {
    if (has_room) observers->queue().cancel();
    countDropped(*call);
    return nullptr;
  }
}

PendingEnd::~PendingEnd() {
  // In a forked child the queue's lock may be held.
  if (has_room_ && Observers::current() == observers_) {
    observers_->queue().cancel();
  }
}

void PendingEnd::completed(bool failed) noexcept {
  if (Observers::current() != observers_ || call_->ended.exchange(true)) return;
  if (!has_room_ || !observers_->queue().put({call_, true, failed, {}})) {
    countDropped(*call_);
  }
  has_room_ = false;
}

}  // namespace traced
