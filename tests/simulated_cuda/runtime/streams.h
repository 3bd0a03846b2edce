// A stream: a queue of work with a thread of its own.

#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace simulated {

using Work = std::function<void()>;

// The current device of this thread.
extern thread_local int current_device;

}  // namespace simulated

// Never freed, so a use after destruction is reported.
struct CUstream_st {
 public:
  CUstream_st(int on, unsigned with_flags, int at_priority)
      : device(on), flags(with_flags), priority(at_priority) {}

  void push(simulated::Work work);
  bool idle();
  // Blocks until all pushed work is done.
  void drain();
  // Ends the thread once it has done all pushed work.
  void close();
  bool closed() const { return closed_; }
  // Adds `us` to each piece of work.
  void slowDown(int us) { slow_us_ = us; }

  const int device;
  const unsigned flags;
  const int priority;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<simulated::Work> queue_;
  bool busy_ = false;
  bool started_ = false;
  std::atomic<bool> closed_{false};
  std::atomic<int> slow_us_{0};
};

namespace simulated {

using Stream = CUstream_st;

// Creates a stream of the current device.
Stream* makeStream(unsigned flags, int priority);

// Returns the stream of a handle. Default handles mean the current device's own
// stream. Null if the stream was destroyed.
Stream* streamOf(cudaStream_t handle);

// Blocks until all streams of a device are idle.
void drainDevice(int device);

// Puts work on a stream or, during a capture, into its graph.
cudaError_t enqueue(Stream* stream, Work work);

void sleepUs(double us);

}  // namespace simulated
