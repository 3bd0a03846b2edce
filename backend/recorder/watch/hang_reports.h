// HangReports queues the watch's findings for a consumer, such as a Python
// thread. The writer thread never waits for it.
//
// Thread safety: any thread.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "recorder/watch/hang_watch.h"

namespace traced {

class HangReports {
 public:
  // Adds a report. Without a consumer only the latest kMax are kept.
  void put(const HangReport& report);
  // Blocks until a report is available and returns the oldest. Returns nullopt
  // while closed, even if reports are left.
  std::optional<HangReport> take();
  // Makes take() return nullopt. Later reports are kept until open().
  void close();
  void open();

 private:
  static constexpr std::size_t kMax = 64;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HangReport> reports_;
  bool closed_ = false;
};

// Returns the report as a sentence for the log.
std::string sentenceOf(const HangReport& report, std::uint32_t rank);

}  // namespace traced
