// Makes a WaitPicture: who kept whom waiting, and when.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/pictures/pictures.h"
#include "analysis/time_split/time_split.h"

namespace traced {

class WaitPictureBuilder {
 public:
  static constexpr std::size_t kMaxRows = 1024;
  static constexpr std::size_t kMaxColumns = 200;
  static constexpr std::size_t kMaxCells = 131072;

  // `ranks` ascending; a span of time on the common time line.
  WaitPictureBuilder(std::vector<std::uint32_t> ranks, std::int64_t first_ns,
                     std::int64_t last_ns);

  // An operation of a rank in which `others` take part beside it.
  void add(std::uint32_t rank, const OperationSplit& split,
           std::uint32_t others);
  // A rank whose operation had not ended: from when it was ready until when
  // the stream ends, on the common time line. How long it waited is not known.
  void addUnderWay(std::uint32_t rank, std::int64_t from_ns,
                   std::int64_t until_ns);
  // What was shown to another one of the same ranks and time.
  void add(const WaitPictureBuilder& other);

  // The sums of a rank's cells.
  struct Waiting {
    std::uint64_t caused_ns = 0;
    std::uint64_t certain_ns = 0;
    std::uint64_t suffered_ns = 0;
  };
  // One for each of the ranks.
  const std::vector<Waiting>& waiting() const { return waiting_; }

  WaitPicture finish() && { return std::move(picture_); }

 private:
  std::optional<std::size_t> indexOf(std::uint32_t rank) const;
  void cause(std::uint32_t rank, std::size_t column, std::uint64_t ns,
             std::uint64_t certain_ns);

  std::vector<std::uint32_t> ranks_;
  std::size_t ranks_per_row_ = 1;
  std::int64_t first_ns_;
  std::vector<Waiting> waiting_;
  WaitPicture picture_;
};

}  // namespace traced
