// A stream is a queue of work with a thread of its own.

#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace simulated {

using Work = std::function<void()>;

// The device that is current in this thread.
extern thread_local int current_device;

}  // namespace simulated

// Never freed: so a handle that is used after its end is told as such.
struct CUstream_st {
 public:
  CUstream_st(int on, unsigned with_flags, int at_priority)
      : device(on), flags(with_flags), priority(at_priority) {}

  void push(simulated::Work work);
  bool idle();
  // Waits until all is done that was pushed.
  void drain();
  // Its thread ends when it has done all that was pushed.
  void close();
  bool closed() const { return closed_; }
  // How long each piece of work takes besides.
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

// A new stream of the current device.
Stream* makeStream(unsigned flags, int priority);

// What a handle means: of the default ones, the current device's own stream.
// Null if the stream was destroyed.
Stream* streamOf(cudaStream_t handle);

// Waits until all streams of a device are idle.
void drainDevice(int device);

// Puts work on a stream or, while that is captured, into its graph.
cudaError_t enqueue(Stream* stream, Work work);

void sleepUs(double us);

}  // namespace simulated
