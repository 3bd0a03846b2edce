// RingImage reads the ring of a dead process from a copy of its memory. The
// content is not trusted.
//
// A record is committed when the commit word of its first slot is its position
// + 1. That word is written last. In one lap of the ring, only the thread that
// claimed the position writes it, and never inside a record.
//
// Therefore each committed record is whole, and its start is known without its
// neighbours. A slot with any other word is skipped. It is inside a record, or
// belongs to a thread that died while it filled the slot.
//
// A thread claims a record only after it committed the previous one. It
// therefore loses at most its last record. The records of one thread have no
// hole, although claims of other threads may be between them.
//
// A committed record uses only committed definitions, because an id is used
// only after its definition is committed.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ring_io/ring/ring.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class RingImage {
 public:
  // `memory` must hold Ring::bytesFor(slots) bytes and outlive the image.
  // `slots` must be a power of two.
  RingImage(std::string_view memory, std::uint64_t slots);

  // Returns whether head and tail are consistent. If not, do not call next():
  // it ends at head, which a hostile file may set to any value.
  bool valid() const;

  std::uint64_t head() const { return head_; }
  std::uint64_t tail() const { return tail_; }
  std::uint64_t capacity() const { return slots_; }
  // Returns the first position whose slot was not claimed again.
  std::uint64_t oldest() const { return head_ > slots_ ? head_ - slots_ : 0; }
  // Returns the records dropped before the ring, by thread.
  std::vector<ThreadDropCount> drops() const;
  // Returns the last heartbeat of the process, or nullopt if it wrote none.
  std::optional<ClockReading> heartbeat() const;
  // Returns whether the process stopped recording in order. The trace may lack
  // its end if the sink refused it.
  bool closed() const;
  // Returns how many records before tail the sink refused.
  std::uint64_t refused() const { return refused_; }

  // Returns whether a committed record begins at the position.
  bool isCommitted(std::uint64_t position) const;

  // The position of a reader and what it has skipped.
  struct Cursor {
    std::uint64_t position = 0;
    // Claimed slots whose record was not committed.
    std::uint64_t unfinished_slots = 0;
    // Committed records with invalid content.
    std::uint64_t broken_records = 0;
  };

  // Reads the next committed record at or after the cursor. Returns false at
  // the end.
  bool next(Cursor& cursor, Ring::Record& record) const;

 private:
  std::uint64_t word(std::size_t offset) const;
  std::string_view slot(std::uint64_t position) const;
  // Reads the committed record at a position. Returns the number of its slots,
  // or 0 if its content is invalid.
  std::uint64_t readAt(std::uint64_t position, Ring::Record& record) const;

  const std::string_view memory_;
  const std::uint64_t slots_;
  std::uint64_t head_;
  std::uint64_t tail_;
  std::uint64_t refused_ = 0;
};

// Returns whether `beat` is a plausible heartbeat of the process: not before
// `written`, not later than now, and since this host was booted. `header` is
// the stream's.
bool isBelievable(const ClockReading& beat, const ClockReading& written,
                  const v1::Header& header);

// Returns whether the process that wrote `header` reads the same clocks as this
// one.
bool sharesClocks(const v1::Header& header);

}  // namespace traced
