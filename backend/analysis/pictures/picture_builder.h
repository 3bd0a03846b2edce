// PictureBuilder makes Pictures from streams that are shown to it one by one.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/pictures/link_picture.h"
#include "analysis/pictures/pictures.h"
#include "analysis/pictures/speed_picture.h"
#include "analysis/pictures/step_picture.h"
#include "analysis/pictures/wait_picture.h"
#include "analysis/time_split/ready_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

// A stretch of the common time line: where nobody met anybody, what was
// recorded.
struct PictureSpan {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

  // From a stream's first operation, if there is one, to its last instant.
  void add(Instant first, Instant last, const v1::ClockModel& clock);
};

// Not thread safe. Memory: some MiB, whatever the ranks; and while a stream is
// shown up to 130 bytes for each of its operations.
class PictureBuilder {
 public:
  // `ranks`: of the streams, ascending; the nodes that they are on, as of
  // LinkUnits; the span of what they do; whether any of them marked steps.
  PictureBuilder(const std::vector<std::uint32_t>& ranks,
                 const std::vector<RankNode>& nodes, const PictureSpan& span,
                 bool by_step);

  // What is known of an operation beside its split.
  struct Facts {
    // The size of its message, and what of it goes over the bus.
    double message_bytes = 0;
    double bus_factor = -1;
    // The program may have waited for it without a wait that is seen.
    bool unseen_wait = false;
  };

  // A stream, then its operations, then its end.
  void begin(const ReadyTable::Stream& stream);
  void add(std::size_t operation, const OperationSplit& split,
           const Facts& facts);
  void end();

  // What was shown to another one, which began as this one did.
  void add(PictureBuilder&& other);

  Pictures finish() &&;

 private:
  // Draws the operation that had not ended until the end of the stream.
  void addHang();

  const ReadyTable::Stream* stream_ = nullptr;
  WaitPictureBuilder waits_;
  StepPictureBuilder steps_;
  LinkPictureBuilder links_;
  SpeedPictureBuilder speeds_;
  // Of the streams so far.
  std::vector<RankLateness> lateness_;
  // Of the stream that is shown.
  std::vector<std::uint64_t> behind_ns_;
  // When it was ready for the first operation that had not ended, on the common
  // time line.
  static constexpr std::int64_t kNotUnderWay =
      std::numeric_limits<std::int64_t>::max();
  std::int64_t under_way_ns_ = kNotUnderWay;
};

}  // namespace traced
