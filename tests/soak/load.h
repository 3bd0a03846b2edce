// Load records operations on several threads at a given rate, and counts the
// records.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "recorder/recorder.h"

namespace traced::testing {

class Load {
 public:
  // Starts the threads. `rate` is in records per second, over all threads.
  Load(Recorder& recorder, int threads, double rate);
  ~Load();

  // Stops the threads and returns the number of records made.
  std::uint64_t stop();
  // Returns the number of records made so far.
  std::uint64_t records() const;

 private:
  void run(int number, double rate);

  Recorder& recorder_;
  std::unique_ptr<RecordedGroup> group_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> records_{0};
  std::vector<std::thread> threads_;
};

}  // namespace traced::testing
