#include "ring_io/ring/thread_drops.h"

#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "base/utf8.h"

namespace traced {
namespace {

using DropEntry = ThreadDropTable::Entry;

// This thread's entry in the table that it used last.
thread_local struct {
  const ThreadDropTable* table = nullptr;
  DropEntry* entry = nullptr;
  std::int64_t tid = 0;
} own;

DropEntry& takeEntry(ThreadDropTable& table, std::int64_t tid) noexcept {
  constexpr std::size_t kShared = ThreadDropTable::kEntries - 1;
  const std::uint64_t place =
      table.wanted.fetch_add(1, std::memory_order_relaxed);
  if (place >= kShared) return table.entries[kShared];
  DropEntry& entry = table.entries[place];
  pthread_getname_np(pthread_self(), entry.name, sizeof entry.name);
  entry.tid.store(tid, std::memory_order_release);
  return entry;
}

DropEntry& ownEntry(ThreadDropTable& table) noexcept {
  // Another table may have had the same address before.
  const bool known = own.table == &table &&
                     own.entry->tid.load(std::memory_order_relaxed) == own.tid;
  if (!known) {
    DropEntry& entry = takeEntry(table, gettid());
    own = {&table, &entry, entry.tid.load(std::memory_order_relaxed)};
  }
  return *own.entry;
}

}  // namespace

void countDrop(ThreadDropTable& table, RingDrop reason,
               std::uint64_t records) noexcept {
  DropEntry& entry = ownEntry(table);
  (reason == RingDrop::kFull ? entry.ring_full : entry.issue_lost)
      .fetch_add(records, std::memory_order_relaxed);
}

std::vector<ThreadDropCount> dropCounts(const ThreadDropTable& table) {
  std::vector<ThreadDropCount> counts;
  for (const DropEntry& entry : table.entries) {
    ThreadDropCount count;
    count.tid = entry.tid.load(std::memory_order_acquire);
    count.ring_full = entry.ring_full.load(std::memory_order_relaxed);
    count.issue_lost = entry.issue_lost.load(std::memory_order_relaxed);
    if (count.all() == 0) continue;
    if (count.tid != 0) {
      count.name = toValidUtf8(
          {entry.name, strnlen(entry.name, ThreadDropTable::kNameBytes)});
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

}  // namespace traced
