// Counts the records that did not get into the ring, by thread and reason. The
// table lies in the ring's memory, so that the counts outlive the process.
//
// Nothing here is touched unless a record is dropped. The counts are all there
// is: what was dropped altogether is their sum.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace traced {

// Why a record never got into the ring.
enum class RingDrop {
  kFull,
  // The issue of its operation had been dropped.
  kIssueLost,
};

struct ThreadDropTable {
  static constexpr std::size_t kNameBytes = 16;
  struct Entry {
    // Kernel thread id, stored once the name is; 0: not taken.
    std::atomic<std::int64_t> tid;
    char name[kNameBytes];
    std::atomic<std::uint64_t> ring_full;
    std::atomic<std::uint64_t> issue_lost;
  };
  static constexpr std::size_t kEntries = 64;

  // How many threads have asked for an entry.
  std::atomic<std::uint64_t> wanted;
  // The last one is shared by all threads that came too late for one of their
  // own; its tid stays 0.
  Entry entries[kEntries];
};

// What one thread did not get into the ring.
struct ThreadDropCount {
  std::int64_t tid = 0;  // 0: of threads that are not told apart
  std::string name;
  std::uint64_t ring_full = 0;
  std::uint64_t issue_lost = 0;

  std::uint64_t all() const { return ring_full + issue_lost; }
};

// Any thread: so many records of the calling thread were dropped.
void countDrop(ThreadDropTable& table, RingDrop reason,
               std::uint64_t records = 1) noexcept;

// Threads that have lost something, those that lost it first, first.
std::vector<ThreadDropCount> dropCounts(const ThreadDropTable& table);

}  // namespace traced
