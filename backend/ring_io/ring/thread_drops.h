// Counts dropped records by thread and reason. The table is in the ring's
// memory, so that the counts outlive the process.
//
// Nothing is touched unless a record is dropped. The total number of drops is
// the sum of these counts.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace traced {

// Why a record was not written into the ring.
enum class RingDrop {
  kFull,
  // The issue record of its operation was dropped.
  kIssueLost,
};

struct ThreadDropTable {
  static constexpr std::size_t kNameBytes = 16;
  struct Entry {
    // Kernel thread id, stored after the name. 0: free.
    std::atomic<std::int64_t> tid;
    char name[kNameBytes];
    std::atomic<std::uint64_t> ring_full;
    std::atomic<std::uint64_t> issue_lost;
  };
  static constexpr std::size_t kEntries = 64;

  // Number of threads that requested an entry.
  std::atomic<std::uint64_t> wanted;
  // The last entry is shared by all threads that find no free one. Its tid
  // stays 0.
  Entry entries[kEntries];
};

// The records of one thread that were dropped before the ring.
struct ThreadDropCount {
  std::int64_t tid = 0;  // 0: shared by several threads
  std::string name;
  std::uint64_t ring_full = 0;
  std::uint64_t issue_lost = 0;

  std::uint64_t all() const { return ring_full + issue_lost; }
};

// Counts `records` dropped records of the calling thread. Any thread.
void countDrop(ThreadDropTable& table, RingDrop reason,
               std::uint64_t records = 1) noexcept;

// Returns the threads with drops, in the order of their first drop.
std::vector<ThreadDropCount> dropCounts(const ThreadDropTable& table);

}  // namespace traced
