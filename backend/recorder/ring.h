// Ring carries records from any thread to the one writer thread.
//
//        tail              read            head
//         |                 |               |
//   free  |  drained, not   |  committed or |  free
//         |  yet on disk    |  being filled |
//
// A producer claims slots with one compare-and-swap of head, fills them, and
// publishes the record by storing its position + 1 into the commit word of its
// first slot. The writer follows the commit words, and moves tail (which frees
// the slots) only when what it read is in the file, so that a process that is
// killed leaves every committed record either in the file or here.
//
// The commit words of a record's further slots are not touched. So a word that
// is its position + 1 begins a whole record, whatever lies around it: what a
// reader of a dead process's ring relies on (recorder/ring_image.h).
//
// When the ring is full the newest record is dropped and counted; nobody waits.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "recorder/record.h"

namespace traced {

inline constexpr std::size_t kSlotBytes = 64;

struct alignas(kSlotBytes) RingSlot {
  std::atomic<std::uint64_t> commit;
  char bytes[kSlotBytes - sizeof(std::uint64_t)];
};
static_assert(sizeof(RingSlot) == kSlotBytes);

// The first bytes of a record's first slot.
struct RecordHead {
  std::uint32_t payload_bytes;
  std::uint16_t slots;
  RecordKind kind;
};

// What producers and the writer share; lives at the start of the ring's memory.
struct RingControl {
  alignas(kSlotBytes) std::atomic<std::uint64_t> head;
  alignas(kSlotBytes) std::atomic<std::uint64_t> tail;
  // Events dropped because the ring was full, and because their operation's
  // issue had been dropped.
  alignas(kSlotBytes) std::atomic<std::uint64_t> dropped_full;
  std::atomic<std::uint64_t> dropped_orphans;
  // How many records of those before position `end` the sink refused. Written
  // in turns before tail moves: the entry whose end is tail is valid.
  struct Refused {
    std::atomic<std::uint64_t> end;
    std::atomic<std::uint64_t> records;
  } refused[2];
};

class Ring {
 public:
  static constexpr std::uint64_t kFull = ~std::uint64_t{0};
  static constexpr std::size_t kFirstSlotPayload =
      sizeof(RingSlot::bytes) - sizeof(RecordHead);

  // `memory` is zeroed, aligned to kSlotBytes, at least bytesFor(slots) long,
  // and outlives the ring.
  Ring(void* memory, std::uint64_t slots);

  static std::size_t bytesFor(std::uint64_t slots) {
    return sizeof(RingControl) + slots * kSlotBytes;
  }

  std::uint64_t capacity() const { return capacity_; }
  RingControl& control() { return *control_; }
  // The largest payload that push accepts: a quarter of the ring.
  std::size_t maxPayload() const;

  // Any thread. Stores one event; returns its position, or kFull (counted).
  template <typename Event>
  std::uint64_t push(RecordKind kind, const Event& event) noexcept {
    static_assert(sizeof(Event) <= kFirstSlotPayload);
    const std::uint64_t position = claim(1);
    if (position == kFull) {
      control_->dropped_full.fetch_add(1, std::memory_order_relaxed);
      return kFull;
    }
    RingSlot& slot = slotAt(position);
    const RecordHead head{sizeof(Event), 1, kind};
    std::memcpy(slot.bytes, &head, sizeof head);
    std::memcpy(slot.bytes + sizeof head, &event, sizeof event);
    slot.commit.store(position + 1, std::memory_order_release);
    return position;
  }

  // Any thread. Stores a definition of any length up to maxPayload(); returns
  // its position, or kFull (not counted: a definition is no record).
  std::uint64_t pushDefinition(RecordKind kind, DefinitionHead head,
                               const void* content, std::size_t bytes) noexcept;

  struct Record {
    std::uint64_t position;
    RecordKind kind;
    std::string payload;
  };

  // Writer only. Reads the next committed record; false when there is none.
  // The payload's memory is reused.
  bool read(Record& record);

  // Writer only. Position up to which records were read.
  std::uint64_t readPosition() const { return read_; }

  // Writer only. Slots that are claimed and not yet read.
  std::uint64_t unread() const {
    return control_->head.load(std::memory_order_relaxed) - read_;
  }

  // Writer only. Frees everything that was read; `refused` is how many of all
  // records so far the sink refused.
  void release(std::uint64_t refused = 0);

  // The position after the last that was claimed. Any thread.
  std::uint64_t claimed() const {
    return control_->head.load(std::memory_order_acquire);
  }

  // Slots that are claimed and not yet free. Any thread; a snapshot.
  std::uint64_t used() const;

 private:
  std::uint64_t claim(std::uint64_t slots) noexcept;
  RingSlot& slotAt(std::uint64_t position) {
    return slots_[position & (capacity_ - 1)];
  }

  RingControl* control_;
  RingSlot* slots_;
  const std::uint64_t capacity_;  // a power of two
  // Owned by the writer.
  std::uint64_t read_ = 0;
  std::size_t turn_ = 0;  // which entry of `refused` was written last
};

}  // namespace traced
