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
// reader of a dead process's ring relies on (ring_io/recovery/ring_image.h).
//
// When the ring is full the newest record is dropped and counted; nobody waits.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ring_io/ring/record.h"
#include "ring_io/ring/thread_drops.h"
#include "ring_io/support/kill_point.h"

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
  // In one cache line, as who claims slots needs both, and the writer moves
  // tail once a chunk.
  alignas(kSlotBytes) std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> tail;
  // How many records of those before position `end` the sink refused. Written
  // in turns before tail moves: the entry whose end is tail is valid.
  struct Refused {
    std::atomic<std::uint64_t> end;
    std::atomic<std::uint64_t> records;
  };
  Refused refused[2];
  // When the process was last seen to live, by its writer thread. Written in
  // turns: the entry `beats % 2` is whole, once there was a beat.
  struct Heartbeat {
    std::atomic<std::int64_t> monotonic_ns;
    std::atomic<std::int64_t> realtime_ns;
    std::atomic<std::int64_t> boottime_ns;
  };
  alignas(kSlotBytes) std::atomic<std::uint64_t> beats;
  Heartbeat heartbeat[2];
  // 1 when its process ended recording in order.
  std::atomic<std::uint64_t> closed;
  alignas(kSlotBytes) ThreadDropTable drops;
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
  // Inline, so that the event's fields go from registers into the slot: a copy
  // of a struct that was just written waits until it is.
  template <typename Event>
  [[gnu::always_inline]] std::uint64_t push(RecordKind kind,
                                            const Event& event) noexcept {
    static_assert(sizeof(Event) <= kFirstSlotPayload);
    const std::uint64_t position = claim(1);
    if (position == kFull) [[unlikely]] {
      drop(RingDrop::kFull, kind);
      return kFull;
    }
    TRACED_KILL_POINT("event claimed");
    RingSlot& slot = slotAt(position);
    new (slot.bytes) RecordHead{sizeof(Event), 1, kind};
    new (slot.bytes + sizeof(RecordHead)) Event(event);
    TRACED_KILL_POINT("event filled");
    slot.commit.store(position + 1, std::memory_order_release);
    TRACED_KILL_POINT("event committed");
    return position;
  }

  // Any thread. As push(), of an event that may take several slots.
  template <typename Event>
  std::uint64_t pushLong(RecordKind kind, const Event& event) noexcept {
    const std::uint64_t position = pushParts(
        kind, {}, {reinterpret_cast<const char*>(&event), sizeof event});
    if (position == kFull) drop(RingDrop::kFull, kind);
    return position;
  }

  // Any thread. In training the caches are full of something else when an
  // operation begins: this asks for the lines that the next pushes need, so
  // that they arrive together and while other work is done.
  void prefetchControl() const noexcept {
    __builtin_prefetch(&control_->head, 1);
  }
  void prefetchSlots() noexcept {
    constexpr std::uint64_t kRecordsOfAnOperation = 2;
    const std::uint64_t head = control_->head.load(std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < kRecordsOfAnOperation; ++i) {
      __builtin_prefetch(&slotAt(head + i), 1);
    }
  }

  // Any thread. Stores a definition of any length up to maxPayload(); returns
  // its position, or kFull (not counted: a definition is no record).
  std::uint64_t pushDefinition(RecordKind kind, DefinitionHead head,
                               const void* content, std::size_t bytes) noexcept;

  // Any thread. Counts a record of this kind that is not pushed.
  void drop(RingDrop reason, RecordKind kind) noexcept {
    countDrop(control_->drops, reason, rowsOf(kind));
  }
  std::vector<ThreadDropCount> drops() const {
    return dropCounts(control_->drops);
  }

  struct Record {
    std::uint64_t position = 0;
    RecordKind kind{};
    // In `joined`, or in `copied`: the ring may be lost at any time.
    std::string_view payload;
    std::string joined;
    char copied[kFirstSlotPayload];

    Record() = default;
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    // The payload as what its kind says it is; what it lacks is 0.
    template <typename T>
    T as() const {
      T value{};
      if (payload.size() == sizeof value) [[likely]] {
        std::memcpy(&value, payload.data(), sizeof value);
      } else {
        std::memcpy(&value, payload.data(),
                    std::min(sizeof value, payload.size()));
      }
      return value;
    }
  };

  // Writer only. Reads the next committed record; false when there is none.
  // The payload is valid until the next read, and until release().
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

  // Writer only. Says that the process lived at `now`.
  void beat(const ClockReading& now);
  // Writer only. Says that the process ended recording in order, which the
  // sink does not.
  void close() { control_->closed.store(1, std::memory_order_release); }

  // The position after the last that was claimed. Any thread.
  std::uint64_t claimed() const {
    return control_->head.load(std::memory_order_acquire);
  }

  // Slots that are claimed and not yet free. Any thread; a snapshot.
  std::uint64_t used() const;

 private:
  // A record of any length up to maxPayload(), whose payload begins with
  // `front`, which fits into the first slot.
  std::uint64_t pushParts(RecordKind kind, std::string_view front,
                          std::string_view content) noexcept;
  std::uint64_t claim(std::uint64_t slots) noexcept {
    std::uint64_t head = control_->head.load(std::memory_order_relaxed);
    do {
      // Acquire: the writer has finished with the slots it freed.
      const std::uint64_t tail = control_->tail.load(std::memory_order_acquire);
      // Below 0 when this thread did not run between the two loads while others
      // and the writer did: the exchange then fails and brings the head of now.
      const auto used = static_cast<std::int64_t>(head + slots - tail);
      if (used > static_cast<std::int64_t>(capacity_)) [[unlikely]]
        return kFull;
    } while (!control_->head.compare_exchange_weak(head, head + slots,
                                                   std::memory_order_relaxed));
    return head;
  }
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
