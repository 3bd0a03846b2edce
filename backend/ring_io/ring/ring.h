// Ring passes records from any thread to the single writer thread.
//
//       tail              read            head
//        |                 |               |
//  free  |  drained, not   |  committed or |  free
//        |  yet on disk    |  being filled |
//
// A producer claims slots with one compare-and-swap of head and fills them. It
// publishes the record by storing its position + 1 into the commit word of its
// first slot.
//
// The writer follows the commit words. It advances tail, which frees slots,
// only when their records are in the file. If the process is killed, every
// committed record is in the file or in the ring.
//
// The commit words of a record's further slots are not written. Therefore a
// commit word that equals its position + 1 always begins a whole record.
// Recovery relies on this (ring_io/recovery/ring_image.h).
//
// When the ring is full, the newest record is dropped and counted. No thread
// blocks.

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

// Begins the first slot of a record.
struct RecordHead {
  std::uint32_t payload_bytes;
  std::uint16_t slots;
  RecordKind kind;
};

// Shared by producers and the writer. Begins the ring's memory.
struct RingControl {
  // In one cache line: a claim needs both, and the writer changes tail only
  // once per chunk.
  alignas(kSlotBytes) std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> tail;
  // Number of records before position `end` that the sink refused. The two
  // entries are written alternately before tail advances. The entry whose `end`
  // equals tail is valid.
  struct Refused {
    std::atomic<std::uint64_t> end;
    std::atomic<std::uint64_t> records;
  };
  Refused refused[2];
  // Time at which the writer thread last reported that the process is alive.
  // The two entries are written alternately. After the first beat, entry `beats
  // % 2` is complete.
  struct Heartbeat {
    std::atomic<std::int64_t> monotonic_ns;
    std::atomic<std::int64_t> realtime_ns;
    std::atomic<std::int64_t> boottime_ns;
  };
  alignas(kSlotBytes) std::atomic<std::uint64_t> beats;
  Heartbeat heartbeat[2];
  // 1 after the process stopped recording in order.
  std::atomic<std::uint64_t> closed;
  alignas(kSlotBytes) ThreadDropTable drops;
};

class Ring {
 public:
  static constexpr std::uint64_t kFull = ~std::uint64_t{0};
  static constexpr std::size_t kFirstSlotPayload =
      sizeof(RingSlot::bytes) - sizeof(RecordHead);

  // `memory` must be zeroed, aligned to kSlotBytes and at least bytesFor(slots)
  // long. It must outlive the ring.
  Ring(void* memory, std::uint64_t slots);

  static std::size_t bytesFor(std::uint64_t slots) {
    return sizeof(RingControl) + slots * kSlotBytes;
  }

  std::uint64_t capacity() const { return capacity_; }
  RingControl& control() { return *control_; }
  // Returns the maximum bytes of a record, heads included. They take a quarter
  // of the slots.
  std::size_t maxPayload() const;

  // Stores one event. Returns its position, or kFull (counted as a drop). Any
  // thread.
  // Inline, so that fields move from registers into the slot. Copying a struct
  // that was just written would stall on its stores.
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

  // Does the same as push() for an event that may take several slots. Any
  // thread.
  template <typename Event>
  std::uint64_t pushLong(RecordKind kind, const Event& event) noexcept {
    const std::uint64_t position = pushParts(
        kind, {}, {reinterpret_cast<const char*>(&event), sizeof event});
    if (position == kFull) drop(RingDrop::kFull, kind);
    return position;
  }

  // Prefetches the cache lines that the next pushes need. Any thread.
  // During training the caches are cold when an operation begins. Prefetching
  // loads the lines in parallel, and overlaps with other work.
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

  // Stores a definition. Returns its position, or kFull if the ring lacks room
  // or the record is longer than maxPayload() or 65535 slots. Counts no drop,
  // as a definition is no row. Any thread.
  std::uint64_t pushDefinition(RecordKind kind, DefinitionHead head,
                               const void* content, std::size_t bytes) noexcept;

  // Counts a record that was not pushed. Any thread.
  void drop(RingDrop reason, RecordKind kind) noexcept {
    countDrop(control_->drops, reason, rowsOf(kind));
  }
  std::vector<ThreadDropCount> drops() const {
    return dropCounts(control_->drops);
  }

  struct Record {
    std::uint64_t position = 0;
    RecordKind kind{};
    // Points into `joined` or `copied`, not into the ring, whose memory may be
    // lost at any time.
    std::string_view payload;
    std::string joined;
    char copied[kFirstSlotPayload];

    Record() = default;
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    // Returns the payload as T. Bytes that it lacks are 0.
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

  // Reads the next committed record; returns false if there is none. Writer
  // only. The payload is valid until the next read() or release().
  bool read(Record& record);

  // Returns the position up to which records were read. Writer only.
  std::uint64_t readPosition() const { return read_; }

  // Returns the number of claimed slots that were not read yet. Writer only.
  std::uint64_t unread() const {
    return control_->head.load(std::memory_order_relaxed) - read_;
  }

  // Frees all slots that were read. `refused` is the total number of records
  // that the sink has refused so far. Writer only.
  void release(std::uint64_t refused = 0);

  // Records that the process was alive at `now`. Writer only.
  void beat(const ClockReading& now);
  // Records that the process stopped recording in order, independently of the
  // sink. Writer only.
  void close() { control_->closed.store(1, std::memory_order_release); }

  // Returns the position after the last claimed slot. Any thread.
  std::uint64_t claimed() const {
    return control_->head.load(std::memory_order_acquire);
  }

  // Returns the number of slots in use, as a snapshot. Any thread.
  std::uint64_t used() const;

 private:
  // Stores a record, or returns kFull as pushDefinition() does. `front` begins
  // the payload and fits into the first slot.
  std::uint64_t pushParts(RecordKind kind, std::string_view front,
                          std::string_view content) noexcept;
  std::uint64_t claim(std::uint64_t slots) noexcept {
    std::uint64_t head = control_->head.load(std::memory_order_relaxed);
    do {
      // Acquire: the writer has finished with the slots that it freed.
      const std::uint64_t tail = control_->tail.load(std::memory_order_acquire);
      // Negative if other threads and the writer advanced between the two
      // loads. The exchange then fails and loads the current head.
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
  std::size_t turn_ =
      0;  // index of the entry of `refused` that was written last
};

}  // namespace traced
