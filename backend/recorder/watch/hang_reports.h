// HangReports carries what the watch finds from the writer thread, which does
// not wait, to whoever wants to hear of it: a thread of Python's own, which may
// be slow.
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
  // Keeps the latest where nobody takes them.
  void put(const HangReport& report);
  // Waits for one; nullopt when closed.
  std::optional<HangReport> take();
  // Lets take() return; what is put from now on is kept for the next taker.
  void close();
  void open();

 private:
  static constexpr std::size_t kMax = 64;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HangReport> reports_;
  bool closed_ = false;
};

// For a log.
std::string sentenceOf(const HangReport& report, std::uint32_t rank);

}  // namespace traced
