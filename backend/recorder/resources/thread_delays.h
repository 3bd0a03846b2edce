// ThreadDelays measures how long the threads of the process were runnable
// without a processor.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace traced {

// Not thread safe.
class ThreadDelays {
 public:
  // Delays of the threads except the main one and the calling one. Absent if
  // there are more than kMaxThreads, or none can be read.
  struct Delays {
    // The longest one of a thread that issues operations. Absent if there is no
    // such thread.
    std::optional<std::uint64_t> issuer_ns;
    // The sum of all. Absent if some ended meanwhile.
    std::optional<std::uint64_t> sum_ns;
  };
  // Measures since the previous call, or since the threads began. `issuers` are
  // kernel thread ids. After a call that found too many threads, the next one
  // is absent, too.
  Delays measure(const std::vector<std::int64_t>& issuers);

  static constexpr std::size_t kMaxThreads = 512;

 private:
  // By kernel thread id, since the thread began.
  using Totals = std::unordered_map<std::int64_t, std::uint64_t>;
  // Absent if there are too many threads.
  std::optional<Totals> readTotals() const;

  std::optional<Totals> totals_ = Totals();
};

}  // namespace traced
