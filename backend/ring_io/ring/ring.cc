#include "ring_io/ring/ring.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace traced {

Ring::Ring(void* memory, std::uint64_t slots)
    : control_(new (memory) RingControl{}),
      slots_(reinterpret_cast<RingSlot*>(static_cast<char*>(memory) +
                                         sizeof(RingControl))),
      capacity_(slots) {}

std::size_t Ring::maxPayload() const {
  return capacity_ / 4 * sizeof(RingSlot::bytes);
}

std::uint64_t Ring::pushDefinition(RecordKind kind, DefinitionHead definition,
                                   const void* content,
                                   std::size_t bytes) noexcept {
  return pushParts(
      kind, {reinterpret_cast<const char*>(&definition), sizeof definition},
      {static_cast<const char*>(content), bytes});
}

std::uint64_t Ring::pushParts(RecordKind kind, std::string_view front,
                              std::string_view content) noexcept {
  constexpr std::size_t kSlotPayload = sizeof(RingSlot::bytes);
  const std::size_t payload = front.size() + content.size();
  const std::size_t total = sizeof(RecordHead) + payload;
  const std::size_t slots = (total + kSlotPayload - 1) / kSlotPayload;
  if (total > maxPayload() || slots > UINT16_MAX) return kFull;
  const std::uint64_t position = claim(slots);
  if (position == kFull) return kFull;
  TRACED_KILL_POINT("definition claimed");

  const RecordHead head{static_cast<std::uint32_t>(payload),
                        static_cast<std::uint16_t>(slots), kind};
  RingSlot& first = slotAt(position);
  std::memcpy(first.bytes, &head, sizeof head);
  std::memcpy(first.bytes + sizeof head, front.data(), front.size());

  const std::size_t used = sizeof head + front.size();
  std::size_t piece = std::min(content.size(), kSlotPayload - used);
  std::memcpy(first.bytes + used, content.data(), piece);
  for (std::uint64_t i = 1; i < slots; ++i) {
    content.remove_prefix(piece);
    piece = std::min(content.size(), kSlotPayload);
    std::memcpy(slotAt(position + i).bytes, content.data(), piece);
  }
  TRACED_KILL_POINT("definition filled");
  first.commit.store(position + 1, std::memory_order_release);
  TRACED_KILL_POINT("definition committed");
  return position;
}

bool Ring::read(Record& record) {
  constexpr std::size_t kSlotPayload = sizeof(RingSlot::bytes);
  const RingSlot& first = slotAt(read_);
  if (first.commit.load(std::memory_order_acquire) != read_ + 1) return false;

  RecordHead head;
  std::memcpy(&head, first.bytes, sizeof head);
  record.position = read_;
  record.kind = head.kind;
  std::size_t left = head.payload_bytes;
  std::size_t piece = std::min(left, kSlotPayload - sizeof head);
  std::memcpy(record.copied, first.bytes + sizeof head, piece);
  record.payload = {record.copied, piece};
  if (head.slots > 1) {
    record.joined.assign(record.payload);
    for (std::uint64_t i = 1; i < head.slots; ++i) {
      left -= piece;
      piece = std::min(left, kSlotPayload);
      record.joined.append(slotAt(read_ + i).bytes, piece);
    }
    record.payload = record.joined;
  }
  read_ += head.slots;
  return true;
}

void Ring::release(std::uint64_t refused) {
  if (read_ == control_->tail.load(std::memory_order_relaxed)) return;
  turn_ ^= 1;
  RingControl::Refused& entry = control_->refused[turn_];
  entry.end.store(read_, std::memory_order_relaxed);
  entry.records.store(refused, std::memory_order_relaxed);
  TRACED_KILL_POINT("refusals counted");
  control_->tail.store(read_, std::memory_order_release);
  TRACED_KILL_POINT("slots freed");
}

void Ring::beat(const ClockReading& now) {
  const std::uint64_t beats =
      control_->beats.load(std::memory_order_relaxed) + 1;
  RingControl::Heartbeat& entry = control_->heartbeat[beats % 2];
  entry.monotonic_ns.store(now.monotonic_ns, std::memory_order_relaxed);
  entry.realtime_ns.store(now.realtime_ns, std::memory_order_relaxed);
  entry.boottime_ns.store(now.boottime_ns, std::memory_order_relaxed);
  control_->beats.store(beats, std::memory_order_release);
}

std::uint64_t Ring::used() const {
  return control_->head.load(std::memory_order_relaxed) -
         control_->tail.load(std::memory_order_relaxed);
}

}  // namespace traced
