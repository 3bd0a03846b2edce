#include "recorder/device/device_times.h"

#include <utility>

#include "base/clock.h"
#include "base/threads.h"

namespace traced {
namespace {

constexpr std::chrono::milliseconds kBusyPeriod{2};
constexpr std::chrono::milliseconds kIdlePeriod{20};

using Capture = DeviceEvents::Capture::Status;

}  // namespace

DeviceTimes::DeviceTimes(std::unique_ptr<DeviceEvents> events,
                         DeviceTimeMode mode, std::unique_ptr<DeviceSink> sink,
                         Untimed& untimed, const AbortedCommunicators& aborted)
    : events_(std::move(events)),
      mode_(mode),
      sink_(std::move(sink)),
      untimed_(untimed),
      resolver_(*events_, pool_, untimed_, aborted, *sink_,
                [] { return nowNs(); }) {
  stopped_ = mode_ == DeviceTimeMode::kOff;
  if (stopped_) return;
  {
    const SignalsBlocked blocked;  // the job's signals never reach the thread
    thread_ = std::thread([this] { run(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kStartTimeout, [this] { return started_; });
}

DeviceTimes::~DeviceTimes() {
  stop(std::chrono::milliseconds(0));
  if (thread_.joinable()) thread_.join();
}

DeviceTimes::StreamState DeviceTimes::streamState() noexcept {
  StreamState state{events_->currentStream(), {}};
  if (state.stream) state.capture = events_->capture(*state.stream);
  if (state.capture.status != Capture::kNone) {
    quiet_until_ns_.store(nowNs() + kQuiet, std::memory_order_relaxed);
  }
  return state;
}

bool DeviceTimes::isQuiet() const noexcept {
  return nowNs() < quiet_until_ns_.load(std::memory_order_relaxed);
}

DeviceSpan* DeviceTimes::begin(const StreamState& state,
                               CommunicatorId communicator) noexcept {
  return take(state, communicator, /*is_wait=*/false);
}

DeviceSpan* DeviceTimes::beginWait(const StreamState& state,
                                   CommunicatorId communicator) noexcept {
  return take(state, communicator, /*is_wait=*/true);
}

DeviceSpan* DeviceTimes::take(const StreamState& state,
                              CommunicatorId communicator,
                              bool is_wait) noexcept {
  if (mode_ == DeviceTimeMode::kOff || !state.stream ||
      state.capture.status != Capture::kNone) {
    return nullptr;
  }
  if (!has_events_.load(std::memory_order_acquire)) {
    untimed_.add(why_none_.load(std::memory_order_relaxed));
    return nullptr;
  }
  DeviceSpan* span = pool_.take();
  if (!span) {
    untimed_.add(Untimed::Reason::kNoEvent);
    return nullptr;
  }
  span->stream = *state.stream;
  span->is_wait = is_wait;
  span->communicator = communicator;
  span->has_first = mode_ == DeviceTimeMode::kFull &&
                    events_->record(span->first, span->stream);
  return span;
}

void DeviceTimes::submit(DeviceSpan* span) noexcept {
  if (events_->record(span->last, span->stream)) {
    pool_.submit(span);
  } else {
    untimed_.add(Untimed::Reason::kRefused);
    pool_.giveBack(span);
  }
}

void DeviceTimes::end(DeviceSpan* span, OpId op) noexcept {
  span->op = op;
  submit(span);
}

void DeviceTimes::endWait(DeviceSpan* span, const WaitRecord& wait) noexcept {
  span->op = wait.op;
  span->wait = wait;
  submit(span);
}

bool DeviceTimes::stop(std::chrono::milliseconds timeout) noexcept {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, timeout, [this] { return stopped_; });
}

// Polls the device once, unless a capture was seen recently. Returns true while
// spans are pending.
bool DeviceTimes::step() noexcept {
  if (isQuiet()) {
    resolver_.hold();
    return true;
  }
  const bool busy = resolver_.poll();
  if (resolver_.failed()) endEvents(Untimed::Reason::kRefused);
  return busy;
}

void DeviceTimes::endEvents(Untimed::Reason why) noexcept {
  why_none_.store(why, std::memory_order_relaxed);
  has_events_.store(false, std::memory_order_release);
}

void DeviceTimes::run() noexcept {
  beginThread("traced-device");
  if (resolver_.start()) {
    has_events_.store(true, std::memory_order_release);
  } else {
    endEvents(Untimed::Reason::kRefused);
  }
  std::unique_lock lock(mutex_);
  started_ = true;
  changed_.notify_all();
  while (!stopping_) {
    lock.unlock();
    const bool busy = step();
    lock.lock();
    changed_.wait_for(lock, busy ? kBusyPeriod : kIdlePeriod,
                      [this] { return stopping_; });
  }
  lock.unlock();
  endEvents(Untimed::Reason::kStopped);
  resolver_.finish(/*ask=*/!isQuiet());
  lock.lock();
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace traced
