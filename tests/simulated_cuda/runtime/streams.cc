#include "runtime/streams.h"

#include <chrono>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/calls.h"
#include "runtime/captures.h"
#include "runtime/refusals.h"
#include "runtime/settings.h"

namespace simulated {

thread_local int current_device = 0;

namespace {

std::mutex& registry_mutex = *new std::mutex;
auto& registry = *new std::vector<Stream*>;
auto& defaults = *new std::map<int, Stream*>;
std::atomic<long> work_count{0};

// Returns whether this piece of work, by its number, breaks the device.
bool breaksDevice() {
  const auto number = static_cast<long>(setting("SIMULATED_CUDA_BREAK_AT", 0));
  return ++work_count == number;
}

}  // namespace

void sleepUs(double us) {
  if (us <= 0) return;
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
}

Stream* makeStream(unsigned flags, int priority) {
  const std::lock_guard lock(registry_mutex);
  registry.push_back(new Stream(current_device, flags, priority));
  return registry.back();
}

Stream* streamOf(cudaStream_t handle) {
  if (handle > cudaStreamPerThread) return handle->closed() ? nullptr : handle;
  const std::lock_guard lock(registry_mutex);
  Stream*& stream = defaults[current_device];
  if (!stream) {
    stream = new Stream(current_device, 0, 0);
    registry.push_back(stream);
  }
  return stream;
}

void drainDevice(int device) {
  std::vector<Stream*> all;
  {
    const std::lock_guard lock(registry_mutex);
    all = registry;
  }
  for (Stream* stream : all) {
    if (stream->device == device) stream->drain();
  }
}

cudaError_t enqueue(Stream* stream, Work work) {
  if (!stream) {
    printRefusal("work", "on a stream that was destroyed");
    return remember(cudaErrorInvalidResourceHandle);
  }
  if (const auto capture = captureOf(stream)) {
    return remember(addToCapture(*capture, stream, std::move(work)));
  }
  if (breaksDevice()) breakDevice(cudaErrorIllegalAddress);
  stream->push(std::move(work));
  return cudaSuccess;
}

}  // namespace simulated

void CUstream_st::push(simulated::Work work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  if (!started_) {
    started_ = true;
    std::thread([this] { run(); }).detach();
  }
  changed_.notify_all();
}

void CUstream_st::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    simulated::Work work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    simulated::sleepUs(slow_us_);
    work();
    work = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

bool CUstream_st::idle() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

void CUstream_st::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

void CUstream_st::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}
