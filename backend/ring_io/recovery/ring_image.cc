#include "ring_io/recovery/ring_image.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "ring_io/ring/call_description.h"
#include "ring_io/ring/record.h"
#include "ring_io/settings/process_info.h"

namespace traced {
namespace {

constexpr std::size_t kSlotPayload = sizeof(RingSlot::bytes);

bool isBool(std::string_view payload, std::size_t offset) {
  return static_cast<unsigned char>(payload[offset]) <= 1;
}

bool isCall(std::string_view payload) {
  constexpr std::size_t kFields = sizeof(DefinitionHead);
  using Fields = CallDescription::Fields;
  return payload.size() >= kFields + sizeof(Fields) &&
         isBool(payload, kFields + offsetof(Fields, simulated)) &&
         isBool(payload, kFields + offsetof(Fields, in_place)) &&
         isBool(payload, kFields + offsetof(Fields, has_tag));
}

template <typename Record>
bool isRecord(std::string_view payload) {
  if (payload.size() != sizeof(Record)) return false;
  if constexpr (requires(Record record) { record.saw_end; }) {
    if (!isBool(payload, offsetof(Record, saw_end))) return false;
  }
  if constexpr (requires(Record record) { record.by_future; }) {
    return isBool(payload, offsetof(Record, by_future));
  }
  return true;
}

// Returns whether the payload is valid for this kind of record.
bool isPossible(RecordKind kind, std::string_view payload) {
  const std::size_t size = payload.size();
  switch (kind) {
#define TRACED_CASE(its_kind, Record) \
  case RecordKind::its_kind:          \
    return isRecord<Record>(payload);
    TRACED_ROW_RECORDS(TRACED_CASE)
    TRACED_CASE(kReturnAndWait, ReturnAndWaitRecord)
#undef TRACED_CASE
    case RecordKind::kDefineCall:
      return isCall(payload);
    case RecordKind::kDefineBuffers:
    case RecordKind::kDefineText:
    case RecordKind::kDefineContext:
    case RecordKind::kDefineStack:
    case RecordKind::kDefineThread:
    case RecordKind::kDefineGroup:
    case RecordKind::kRetireGroup:
    case RecordKind::kRetireThread:
      return size >= sizeof(DefinitionHead);
  }
  return false;
}

}  // namespace

RingImage::RingImage(std::string_view memory, std::uint64_t slots)
    : memory_(memory),
      slots_(slots),
      head_(word(offsetof(RingControl, head))),
      tail_(word(offsetof(RingControl, tail))) {
  for (const std::size_t entry : {0, 1}) {
    const std::size_t at =
        offsetof(RingControl, refused) + entry * sizeof(RingControl::Refused);
    if (word(at + offsetof(RingControl::Refused, end)) != tail_) continue;
    refused_ = word(at + offsetof(RingControl::Refused, records));
  }
}

bool RingImage::valid() const {
  // Positions count slots since the start. No real ring reaches the last 2^24.
  return head_ < ~std::uint64_t{0} - slots_ && tail_ <= head_ &&
         head_ - tail_ <= slots_;
}

std::vector<ThreadDropCount> RingImage::drops() const {
  using Entry = ThreadDropTable::Entry;
  std::vector<ThreadDropCount> counts;
  for (std::size_t i = 0; i < ThreadDropTable::kEntries; ++i) {
    const std::size_t at = offsetof(RingControl, drops) +
                           offsetof(ThreadDropTable, entries) +
                           i * sizeof(Entry);
    const std::string_view name =
        memory_.substr(at + offsetof(Entry, name), ThreadDropTable::kNameBytes);
    ThreadDropCount count;
    count.tid = static_cast<std::int64_t>(word(at + offsetof(Entry, tid)));
    count.name = toValidUtf8(name.substr(0, name.find('\0')));
    count.ring_full = word(at + offsetof(Entry, ring_full));
    count.issue_lost = word(at + offsetof(Entry, issue_lost));
    if (count.all() > 0) counts.push_back(count);
  }
  return counts;
}

std::optional<ClockReading> RingImage::heartbeat() const {
  using Heartbeat = RingControl::Heartbeat;
  const std::uint64_t beats = word(offsetof(RingControl, beats));
  if (beats == 0) return std::nullopt;
  const std::size_t entry =
      offsetof(RingControl, heartbeat) + beats % 2 * sizeof(Heartbeat);
  const auto read = [&](std::size_t field) {
    return static_cast<std::int64_t>(word(entry + field));
  };
  return ClockReading{read(offsetof(Heartbeat, monotonic_ns)),
                      read(offsetof(Heartbeat, realtime_ns)),
                      read(offsetof(Heartbeat, boottime_ns))};
}

bool RingImage::closed() const {
  return word(offsetof(RingControl, closed)) == 1;
}

bool RingImage::next(Cursor& cursor, Ring::Record& record) const {
  while (cursor.position < head_) {
    if (!isCommitted(cursor.position)) {
      cursor.unfinished_slots += cursor.position >= tail_;
      ++cursor.position;
      continue;
    }
    const std::uint64_t slots = readAt(cursor.position, record);
    cursor.position += std::max<std::uint64_t>(slots, 1);
    if (slots > 0) return true;
    ++cursor.broken_records;
  }
  return false;
}

std::uint64_t RingImage::word(std::size_t offset) const {
  std::uint64_t value;
  std::memcpy(&value, memory_.data() + offset, sizeof value);
  return value;
}

std::string_view RingImage::slot(std::uint64_t position) const {
  const std::uint64_t index = position & (slots_ - 1);
  return memory_.substr(sizeof(RingControl) + index * kSlotBytes, kSlotBytes);
}

bool RingImage::isCommitted(std::uint64_t position) const {
  std::uint64_t commit;
  std::memcpy(&commit, slot(position).data() + offsetof(RingSlot, commit),
              sizeof commit);
  return commit == position + 1;
}

std::uint64_t RingImage::readAt(std::uint64_t position,
                                Ring::Record& record) const {
  const std::string_view first =
      slot(position).substr(offsetof(RingSlot, bytes));
  RecordHead head;
  std::memcpy(&head, first.data(), sizeof head);
  const std::uint64_t bytes = sizeof head + std::uint64_t{head.payload_bytes};
  const std::uint64_t slots = (bytes + kSlotPayload - 1) / kSlotPayload;
  if (head.slots != slots || slots > head_ - position) return 0;

  record.position = position;
  record.kind = head.kind;
  // Copy first: the bytes must not change between the check and their use.
  record.joined.assign(first.substr(sizeof head));
  for (std::uint64_t i = 1; i < slots; ++i) {
    record.joined.append(slot(position + i).substr(offsetof(RingSlot, bytes)));
  }
  record.joined.resize(head.payload_bytes);
  record.payload = record.joined;
  return isPossible(head.kind, record.payload) ? slots : 0;
}

bool isBelievable(const ClockReading& beat, const ClockReading& written,
                  const v1::Header& header) {
  if (!sharesClocks(header)) return false;
  const ClockReading now = readClocks();
  return written.monotonic_ns <= beat.monotonic_ns &&
         beat.monotonic_ns <= now.monotonic_ns &&
         written.boottime_ns <= beat.boottime_ns &&
         beat.boottime_ns <= now.boottime_ns;
}

bool sharesClocks(const v1::Header& header) {
  const HostInfo here = readHostInfo();
  return !here.boot_id.empty() && header.boot_id() == here.boot_id &&
         header.time_namespace() == here.time_namespace;
}

}  // namespace traced
