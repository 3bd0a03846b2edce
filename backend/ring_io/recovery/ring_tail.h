// RingTail follows the ring of a process that lives: what it recorded since it
// was asked last. It only reads, and the process knows nothing of it.
//
// The records of a ring stay where they are, written to a file or not, until
// their slots are claimed again. Who asks often enough sees all of them; what
// was claimed again meanwhile is counted.

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

// Not thread safe. Memory: that of a ring, as far as it was used.
class RingTail {
 public:
  // It begins with the oldest record that the ring has. Absent when the ring is
  // gone, or still being made. An Error is one sentence about why it cannot be
  // followed.
  static std::optional<Result<std::unique_ptr<RingTail>>> open(
      const RingFile& ring);

  const v1::Header& header() const { return content_.header; }
  // Part 0 of its trace; "" when it does not say.
  const std::string& tracePath() const { return content_.trace_path; }
  // Of its file.
  uid_t uid() const { return file_->uid(); }
  gid_t gid() const { return file_->gid(); }
  // Whether its process lives and records.
  bool isAlive() const { return file_->isLinked() && file_->isAlive(); }

  // Calls visit with each record that is new, in their order. False when the
  // ring can no longer be read.
  bool poll(const std::function<void(const Ring::Record&)>& visit);

  std::uint64_t slots() const { return content_.slots; }
  // Up to which position records were seen.
  std::uint64_t position() const { return cursor_.position; }
  // Slots that were claimed again before they were read.
  std::uint64_t missedSlots() const { return missed_slots_; }
  // What did not get into the ring, by thread, as of the last poll.
  const std::vector<ThreadDropCount>& drops() const { return drops_; }

 private:
  using Clock = std::chrono::steady_clock;

  RingTail(std::unique_ptr<SegmentFile> file, SegmentContent content);

  bool readControl();
  // Reads the slots of positions [begin, end).
  bool readSlots(std::uint64_t begin, std::uint64_t end);
  // Goes on at a position, in front of which slots were claimed again.
  void skipTo(std::uint64_t position);
  bool isStuck();

  const std::unique_ptr<SegmentFile> file_;
  const SegmentContent content_;
  // As the ring is laid out. What is not read takes no memory: a ring may say
  // that it is large.
  const std::size_t bytes_;
  const std::unique_ptr<char[]> memory_;
  RingImage::Cursor cursor_;
  // What was there when it was first read, and lost then, is not missed.
  bool read_before_ = false;
  // The cursor may be inside of a record: the next whole one is looked for.
  bool lost_place_ = true;
  // Where a thread claimed a slot and was not done with it, and since when.
  std::uint64_t waits_at_ = ~std::uint64_t{0};
  Clock::time_point waits_since_;
  std::uint64_t missed_slots_ = 0;
  std::vector<ThreadDropCount> drops_;
  Ring::Record record_;
};

}  // namespace traced
