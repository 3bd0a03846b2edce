// RingImage reads the ring of a dead process from a copy of its memory, which
// is not trusted.
//
// What can be recovered, and why: a record is committed when the commit word of
// its first slot is its position + 1. That word is written last, in this lap of
// the ring only by the thread that claimed the position, and never inside a
// record. So each committed record is whole, and where it begins is known by
// itself: a slot whose word is anything else is passed over, be it the claim of
// a thread that died while filling it, or the inside of one. A thread claims a
// record only when it has committed the one before, so what it loses is at most
// its last record: per thread there is no hole, although the claims of others
// may lie between. And no committed record names one that was not: an id is
// used only after its definition is committed.

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
  // `memory` holds Ring::bytesFor(slots) bytes and outlives the image.
  RingImage(std::string_view memory, std::uint64_t slots);

  // Whether head and tail can be those of a ring.
  bool valid() const;

  std::uint64_t head() const { return head_; }
  std::uint64_t tail() const { return tail_; }
  std::uint64_t capacity() const { return slots_; }
  // The first position whose slot was not claimed again since.
  std::uint64_t oldest() const { return head_ > slots_ ? head_ - slots_ : 0; }
  // What did not get into it, by thread.
  std::vector<ThreadDropCount> drops() const;
  // When its process was last seen to live; absent if it never said so.
  std::optional<ClockReading> heartbeat() const;
  // Whether its process ended recording in order though the sink did not take
  // the end.
  bool closed() const;
  // How many records before tail the sink refused.
  std::uint64_t refused() const { return refused_; }

  // Whether a record that is whole begins at a position.
  bool isCommitted(std::uint64_t position) const;

  // How far a reading is, and what it passed over.
  struct Cursor {
    std::uint64_t position = 0;
    // Slots that were claimed and whose record was not committed.
    std::uint64_t unfinished_slots = 0;
    // Committed records that say something impossible.
    std::uint64_t broken_records = 0;
  };

  // Reads the next committed record at or after the cursor; false at the end.
  bool next(Cursor& cursor, Ring::Record& record) const;

 private:
  std::uint64_t word(std::size_t offset) const;
  std::string_view slot(std::uint64_t position) const;
  // Reads the committed record at a position; 0 if it is impossible, else how
  // many slots it takes.
  std::uint64_t readAt(std::uint64_t position, Ring::Record& record) const;

  const std::string_view memory_;
  const std::uint64_t slots_;
  std::uint64_t head_;
  std::uint64_t tail_;
  std::uint64_t refused_ = 0;
};

// Whether a reading of the clocks in a ring may be that of a process which had
// read `written` before, and ran on this host since it was booted: not earlier
// than that, and not later than now. `header` is the stream's.
bool isBelievable(const ClockReading& beat, const ClockReading& written,
                  const v1::Header& header);

// Whether the process that wrote `header` reads the same clocks as this one.
bool sharesClocks(const v1::Header& header);

}  // namespace traced
