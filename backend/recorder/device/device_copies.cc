#include "recorder/device/device_copies.h"

#include <new>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log_message.h"
#include "base/threads.h"

namespace traced {
namespace {

constexpr std::chrono::milliseconds kCopyPeriod{1};
constexpr std::chrono::milliseconds kStuckCopyPeriod{20};
// After this long without an arrival, the device is polled less often.
constexpr std::int64_t kStuckCopiesAfter = 1'000'000'000;  // ns
// How long the end of recording waits for copies in flight.
constexpr std::int64_t kLastCopies = 250'000'000;  // ns

}  // namespace

DeviceCopies::Batch::Batch(Batch&& other) noexcept
    : copies_(other.copies_),
      stream_(other.stream_),
      event_(std::exchange(other.event_, nullptr)),
      blocks_(std::move(other.blocks_)) {}

DeviceCopies::Batch::~Batch() {
  if (event_) whenArrived(nullptr);
}

char* DeviceCopies::Batch::copy(const void* from, std::size_t bytes) noexcept {
  try {
    if (blocks_.size() == blocks_.capacity())
      blocks_.reserve(2 * blocks_.size() + 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  char* const to = copies_.blocks_.take(bytes);
  if (!to) return nullptr;
  if (!copies_.events_.copyToHost(to, from, bytes, stream_)) {
    copies_.blocks_.giveBack(to);
    return nullptr;
  }
  blocks_.push_back(to);
  return to;
}

void DeviceCopies::Batch::whenArrived(Reader reader) noexcept {
  copies_.submit(*this, reader);
}

DeviceCopies::DeviceCopies(DeviceTimes& times, std::size_t bytes)
    : times_(times), events_(times.events()), bytes_(bytes) {
  free_.reserve(kBatches);
  submitted_.reserve(kBatches);
  pending_.reserve(kBatches);
  {
    const SignalsBlocked blocked;  // the job's signals never reach the thread
    thread_ = std::thread([this] { run(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kStartTimeout, [this] { return started_; });
}

DeviceCopies::~DeviceCopies() {
  stop(std::chrono::milliseconds(0));
  if (thread_.joinable()) thread_.join();
}

std::optional<DeviceCopies::Batch> DeviceCopies::begin(Stream stream) noexcept {
  if (!open_.load(std::memory_order_acquire)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::nullopt;
  const DeviceEvents::Event event = free_.back();
  free_.pop_back();
  return Batch(*this, stream, event);
}

// If the event cannot be recorded, nobody knows when the copies end. Their
// memory is then never reused, and no further copies are made.
void DeviceCopies::submit(Batch& batch, Reader& reader) noexcept {
  const DeviceEvents::Event event = std::exchange(batch.event_, nullptr);
  if (!events_.record(event, batch.stream_)) {
    open_.store(false, std::memory_order_release);
    if (reader) reader(false);
    return;
  }
  std::unique_lock lock(mutex_);
  if (stopped_) {
    lock.unlock();
    if (reader) reader(false);
    return;
  }
  submitted_.push_back({event, std::move(batch.blocks_), std::move(reader)});
  changed_.notify_all();
}

bool DeviceCopies::stop(std::chrono::milliseconds timeout) noexcept {
  std::unique_lock lock(mutex_);
  open_.store(false, std::memory_order_release);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, timeout, [this] { return ended_; });
}

void DeviceCopies::abandon() noexcept {
  abandoned_.store(true, std::memory_order_relaxed);
}

bool DeviceCopies::prepare() noexcept {
  if (!events_.enterThread()) return false;
  char* const memory = events_.allocateHost(bytes_);
  blocks_.set(memory, bytes_);
  for (std::size_t i = 0; memory && i < kBatches; ++i) {
    if (abandoned_.load(std::memory_order_relaxed)) return false;
    const DeviceEvents::Event event = events_.create();
    if (!event) break;
    free_.push_back(event);
  }
  return memory && !free_.empty();
}

void DeviceCopies::run() noexcept {
  beginThread("traced-values");
  const bool prepared = prepare();
  if (!prepared) {
    logMessage(
        {"tensors on a GPU are not examined: no events, or no pinned "
         "memory of ",
         std::to_string(bytes_ >> 20), " MiB (TRACED_VALUES_MB)"});
  }
  std::unique_lock lock(mutex_);
  if (!stopping_) open_.store(prepared, std::memory_order_release);
  started_ = true;
  changed_.notify_all();
  while (!stopping_) {
    takeSubmitted();
    if (pending_.empty()) {
      changed_.wait(lock, [this] { return stopping_ || !submitted_.empty(); });
      progress_ns_ = nowNs();
      continue;
    }
    lock.unlock();
    if (!times_.isQuiet()) readArrived();
    const bool stuck = nowNs() - progress_ns_ > kStuckCopiesAfter;
    lock.lock();
    if (pending_.empty()) continue;
    changed_.wait_for(lock, stuck ? kStuckCopyPeriod : kCopyPeriod,
                      [this] { return stopping_; });
  }
  takeSubmitted();
  stopped_ = true;  // nothing is submitted from now on
  lock.unlock();
  const std::int64_t until_ns = nowNs() + kLastCopies;
  while (!pending_.empty() && nowNs() < until_ns &&
         !abandoned_.load(std::memory_order_relaxed)) {
    if (!times_.isQuiet()) readArrived();
    if (!pending_.empty()) std::this_thread::sleep_for(kCopyPeriod);
  }
  for (Pending& each : pending_) {
    if (each.reader) each.reader(false);
  }
  pending_.clear();
  lock.lock();
  ended_ = true;
  changed_.notify_all();
}

void DeviceCopies::takeSubmitted() noexcept {
  for (Pending& each : submitted_) pending_.push_back(std::move(each));
  submitted_.clear();
}

// Asks for the newest first: what it depends on has then arrived as well, and
// is read before it.
void DeviceCopies::readArrived() noexcept {
  for (auto each = pending_.rbegin(); each != pending_.rend(); ++each) {
    if (abandoned_.load(std::memory_order_relaxed)) return;
    each->state = events_.query(each->event);
  }
  for (Pending& each : pending_) {
    if (each.state == DeviceEvents::State::kPending) continue;
    const bool arrived = each.state == DeviceEvents::State::kReached;
    if (!arrived) open_.store(false, std::memory_order_release);
    if (each.reader) each.reader(arrived);
    each.reader = nullptr;  // releases what it holds
    progress_ns_ = nowNs();
    for (char* const block : each.blocks) blocks_.giveBack(block);
    const std::lock_guard lock(mutex_);
    free_.push_back(each.event);
  }
  std::erase_if(pending_, [](const Pending& each) {
    return each.state != DeviceEvents::State::kPending;
  });
}

}  // namespace traced
