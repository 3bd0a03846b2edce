// WaitPictureBuilder makes a WaitPicture: which rank kept others waiting, and
// when. Not thread safe.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/pictures/pictures.h"
#include "analysis/pictures/rank_waits.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/time_split/time_split.h"

namespace traced {

class WaitPictureBuilder {
 public:
  static constexpr std::size_t kMaxRows = 1024;
  static constexpr std::size_t kMaxColumns = 200;
  static constexpr std::size_t kMaxCells = 131072;

  // `ranks`: ascending. The picture covers common time from `first_ns` to
  // `last_ns`.
  WaitPictureBuilder(std::vector<std::uint32_t> ranks, std::int64_t first_ns,
                     std::int64_t last_ns);

  // Counts an operation of a rank where the rank was ready for it.
  void count(std::uint32_t rank, const OperationSplit& split);
  // Adds the waits of a rank. `clock`: converts its own clock to common time.
  void add(std::uint32_t rank, RankWaits&& waits, const ClockCursor& clock);
  // Adds an operation in flight, from when the rank was ready to the end of its
  // stream, in common time. Its wait is unknown.
  void addInFlight(std::uint32_t rank, std::int64_t from_ns,
                   std::int64_t until_ns);
  // Adds the result of another builder with the same arguments.
  void add(const WaitPictureBuilder& other);

  // Sums over one rank, also outside the picture.
  struct Waiting {
    std::uint64_t caused_ns = 0;
    std::uint64_t certain_ns = 0;
    std::uint64_t suffered_ns = 0;
  };
  // One per rank.
  const std::vector<Waiting>& waiting() const { return waiting_; }

  WaitPicture finish() && { return std::move(picture_); }

 private:
  std::optional<std::size_t> indexOf(std::uint32_t rank) const;
  // Adds windows to the cells of the rank at `index`. Returns their length.
  std::uint64_t spread(std::size_t index, CoveredTime&& time,
                       const ClockCursor& clock, std::uint64_t WaitCell::*part);

  std::vector<std::uint32_t> ranks_;
  std::size_t ranks_per_row_ = 1;
  std::int64_t first_ns_;
  std::vector<Waiting> waiting_;
  WaitPicture picture_;
};

}  // namespace traced
