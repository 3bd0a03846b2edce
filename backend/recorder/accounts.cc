#include "recorder/accounts.h"

namespace traced {
namespace {

void addDrop(v1::Accounts& accounts, v1::DropReason reason,
             std::uint64_t records) {
  if (records == 0) return;
  v1::Drop* drop = accounts.add_drop();
  drop->set_reason(reason);
  drop->set_records(records);
}

std::uint64_t dropped(const v1::Accounts& accounts, v1::DropReason reason) {
  std::uint64_t records = 0;
  for (const v1::Drop& drop : accounts.drop()) {
    if (drop.reason() == reason) records += drop.records();
  }
  return records;
}

}  // namespace

void setCounters(v1::Accounts& accounts, const RecordCounters& counters) {
  accounts.clear_drop();
  addDrop(accounts, v1::DROP_REASON_RING_FULL, counters.ring_full);
  addDrop(accounts, v1::DROP_REASON_ISSUE_LOST, counters.issue_lost);
  addDrop(accounts, v1::DROP_REASON_WRITE_FAILED, counters.write_failed);
  addDrop(accounts, v1::DROP_REASON_RETENTION, counters.deleted);
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
  return counters;
}

}  // namespace traced
