#include "ring_io/chunks/accounts.h"

#include <utility>

namespace traced {
namespace {

// `message` must have a repeated field `drop`.
template <typename Message>
void addDrop(Message& message, v1::DropReason reason, std::uint64_t records) {
  if (records == 0) return;
  v1::Drop* drop = message.add_drop();
  drop->set_reason(reason);
  drop->set_records(records);
}

template <typename Message>
std::uint64_t dropped(const Message& message, v1::DropReason reason) {
  std::uint64_t records = 0;
  for (const v1::Drop& drop : message.drop()) {
    if (drop.reason() == reason) records += drop.records();
  }
  return records;
}

void addThread(v1::Accounts& accounts, const ThreadDropCount& count) {
  v1::ThreadDrops* thread = accounts.add_thread_drops();
  thread->set_tid(count.tid);
  thread->set_name(count.name);
  addDrop(*thread, v1::DROP_REASON_RING_FULL, count.ring_full);
  addDrop(*thread, v1::DROP_REASON_ISSUE_LOST, count.issue_lost);
}

}  // namespace

void RecordCounters::setRingDrops(std::vector<ThreadDropCount> drops) {
  thread_drops = std::move(drops);
  ring_full = issue_lost = 0;
  for (const ThreadDropCount& count : thread_drops) {
    ring_full += count.ring_full;
    issue_lost += count.issue_lost;
  }
}

void setCounters(v1::Accounts& accounts, const RecordCounters& counters) {
  accounts.clear_drop();
  addDrop(accounts, v1::DROP_REASON_RING_FULL, counters.ring_full);
  addDrop(accounts, v1::DROP_REASON_ISSUE_LOST, counters.issue_lost);
  addDrop(accounts, v1::DROP_REASON_WRITE_FAILED, counters.write_failed);
  addDrop(accounts, v1::DROP_REASON_RETENTION, counters.deleted);
  accounts.clear_thread_drops();
  for (const ThreadDropCount& count : counters.thread_drops) {
    addThread(accounts, count);
  }
  accounts.set_stored(counters.written - counters.deleted);
  accounts.set_produced(counters.written + counters.ring_full +
                        counters.issue_lost + counters.write_failed);
}

RecordCounters countersOf(const v1::Accounts& accounts) {
  RecordCounters counters;
  counters.deleted = dropped(accounts, v1::DROP_REASON_RETENTION);
  counters.written = accounts.stored() + counters.deleted;
  counters.ring_full = dropped(accounts, v1::DROP_REASON_RING_FULL);
  counters.issue_lost = dropped(accounts, v1::DROP_REASON_ISSUE_LOST);
  counters.write_failed = dropped(accounts, v1::DROP_REASON_WRITE_FAILED);
  for (const v1::ThreadDrops& thread : accounts.thread_drops()) {
    counters.thread_drops.push_back(
        {thread.tid(), thread.name(),
         dropped(thread, v1::DROP_REASON_RING_FULL),
         dropped(thread, v1::DROP_REASON_ISSUE_LOST)});
  }
  return counters;
}

}  // namespace traced
