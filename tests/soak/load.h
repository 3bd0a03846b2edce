// Load is threads that record operations at a given rate and count what they
// did.

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
  // `rate` is in records per second, of all threads together.
  Load(Recorder& recorder, int threads, double rate);
  ~Load();

  // Stops and returns how many records were made.
  std::uint64_t stop();
  // So far.
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
