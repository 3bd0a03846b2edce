// PictureBuilder makes Pictures from streams added one by one.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/pictures/link_picture.h"
#include "analysis/pictures/pictures.h"
#include "analysis/pictures/rank_waits.h"
#include "analysis/pictures/speed_picture.h"
#include "analysis/pictures/wait_picture.h"
#include "analysis/time_split/ready_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

// The interval of common time that pictures cover.
struct PictureSpan {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

  // Extends the interval by a stream, from its first operation, or its start,
  // to its last instant. Ignores invalid instants.
  void add(Instant first, Instant last, const v1::ClockModel& clock);
};

// Not thread safe. Memory: some MiB for any number of ranks, and up to 200
// bytes per operation of the current stream.
class PictureBuilder {
 public:
  // `ranks`: ranks of the streams, ascending. `nodes`: see LinkUnits. `span`:
  // interval to draw.
  PictureBuilder(const std::vector<std::uint32_t>& ranks,
                 const std::vector<RankNode>& nodes, const PictureSpan& span);

  // Size of the message, and the factor for the bytes on the bus.
  struct Size {
    double message_bytes = 0;
    double bus_factor = -1;
  };

  // For each stream, call begin(), add() for each operation, then end().
  // `span`: its operationSpan().
  void begin(const ReadyTable::Stream& stream, const TimeWindow& span);
  void add(std::size_t operation, const OperationSplit& split,
           const Size& size);
  void end();

  // Adds the result of another builder with the same arguments.
  void add(PictureBuilder&& other);

  // Returns the pictures, except `steps`.
  Pictures finish() &&;

 private:
  // Draws the operation in flight until the end of the stream.
  void addHang();

  const ReadyTable::Stream* stream_ = nullptr;
  WaitPictureBuilder waits_;
  LinkPictureBuilder links_;
  SpeedPictureBuilder speeds_;
  // One per stream so far.
  std::vector<RankLateness> lateness_;
  // For the current stream.
  std::vector<std::uint64_t> behind_ns_;
  TimeWindow operation_span_;
  RankWaits rank_waits_;
  // When the rank was ready for the first operation in flight, in common time.
  static constexpr std::int64_t kNotUnderWay =
      std::numeric_limits<std::int64_t>::max();
  std::int64_t under_way_ns_ = kNotUnderWay;
};

}  // namespace traced
