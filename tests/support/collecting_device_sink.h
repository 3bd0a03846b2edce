// A DeviceSink that stores everything it receives.

#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "recorder/device/device_resolver.h"

namespace traced::testing {

class CollectingDeviceSink : public DeviceSink {
 public:
  struct Collected {
    std::vector<DoneRecord> ended;
    std::vector<WaitRecord> stalled;
    std::int64_t error_ns = 0;
    std::uint64_t untimed = 0;
    std::string why;

    const DoneRecord* endOf(OpId op) const {
      for (const DoneRecord& done : ended) {
        if (done.op == op) return &done;
      }
      return nullptr;
    }
  };

  explicit CollectingDeviceSink(Collected& collected) : collected_(collected) {}
  void ended(const DoneRecord& done) noexcept override {
    collected_.ended.push_back(done);
  }
  void stalled(const WaitRecord& wait) noexcept override {
    collected_.stalled.push_back(wait);
  }
  void clockError(std::int64_t ns) noexcept override {
    collected_.error_ns = ns;
  }
  void untimed(std::uint64_t total, const char* why) noexcept override {
    collected_.untimed = total;
    collected_.why = why;
  }

 private:
  Collected& collected_;
};

}  // namespace traced::testing
