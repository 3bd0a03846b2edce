// RingTail follows the ring of a live process and returns what it recorded
// since the last poll. It only reads, and does not affect the process.
//
// Records stay in the ring until their slots are claimed again, whether they
// were written to a file or not. Frequent polls see all records. Slots that
// were claimed again before a poll are counted.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ring_io/recovery/live_rings.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_file.h"

namespace traced {

// Not thread safe. Uses at most as much memory as the used part of the ring.
class RingTail {
 public:
  // Starts with the oldest record in the ring. Returns nullopt if the ring is
  // gone or still being created. An Error is one sentence with the reason why
  // it cannot be followed.
  static std::optional<Result<std::unique_ptr<RingTail>>> open(
      const RingFile& ring);

  const v1::Header& header() const { return content_.header; }
  // Returns part 0 of its trace; "" if the ring does not name it.
  const std::string& tracePath() const { return content_.trace_path; }
  // Return the owner of the ring file.
  uid_t uid() const { return file_->uid(); }
  gid_t gid() const { return file_->gid(); }
  // Returns whether the process lives and records.
  bool isAlive() const { return file_->isLinked() && file_->isAlive(); }

  // Calls `visit` with each new record in order. Returns false if the ring can
  // no longer be read.
  bool poll(const std::function<void(const Ring::Record&)>& visit);

  std::uint64_t slots() const { return content_.slots; }
  // Returns the position up to which records were read.
  std::uint64_t position() const { return cursor_.position; }
  // Returns the number of slots that were claimed again before they were read.
  std::uint64_t missedSlots() const { return missed_slots_; }
  // Returns the records dropped before the ring, by thread, as of the last
  // poll.
  const std::vector<ThreadDropCount>& drops() const { return drops_; }

 private:
  using Clock = std::chrono::steady_clock;

  RingTail(std::unique_ptr<SegmentFile> file, SegmentContent content);

  // Reads the control block. Returns false on failure, as does readSlots().
  bool readControl();
  // Reads the slots of positions [begin, end).
  bool readSlots(std::uint64_t begin, std::uint64_t end);
  // Continues at a position because the slots before it were claimed again.
  void skipTo(std::uint64_t position);
  // Returns whether the cursor has waited too long for a claimed slot.
  bool isStuck();

  const std::unique_ptr<SegmentFile> file_;
  const SegmentContent content_;
  // A copy of the ring's layout. Unread parts take no memory, because a hostile
  // ring may claim any size.
  const std::size_t bytes_;
  const std::unique_ptr<char[]> memory_;
  RingImage::Cursor cursor_;
  // False until the first poll. Slots lost before it do not count as missed.
  bool read_before_ = false;
  // The cursor may be inside a record, so search for the next whole one.
  bool resyncing_ = true;
  // A claimed slot that is not committed yet, and since when.
  std::uint64_t stuck_at_ = ~std::uint64_t{0};
  Clock::time_point waits_since_;
  std::uint64_t missed_slots_ = 0;
  std::vector<ThreadDropCount> drops_;
  Ring::Record record_;
};

}  // namespace traced
