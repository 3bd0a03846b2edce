// Pictures holds the data of a report's pictures: sums over steps, over time
// and ranks, over pairs of ranks and over sizes. Their size is bounded, however
// long a run is and however many ranks it has.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time_split/time_breakdown.h"

namespace traced {

// Rank time of some steps, or of an interval if no steps are marked.
struct StepTimes {
  // The first step, or the index of the interval.
  std::uint64_t first = 0;
  // Number of steps times ranks with a known begin and end.
  std::uint64_t count = 0;
  std::uint64_t longest_ns = 0;
  TimeBreakdown time;
  // Number of steps that ended inside an operation. They last until the end of
  // the stream.
  std::uint64_t not_ended = 0;
  // Number of steps that took a fifth longer than the rank's median step,
  // mostly because the rank itself computed longer than in its median.
  std::uint64_t computed_longer = 0;

  void add(const StepTimes& other);
};

struct StepPicture {
  // Maximum number of entries of a page.
  static constexpr std::size_t kMaxShown = 200;
  // If false, entries are intervals of length `stretch_ns` over the whole run.
  bool by_step = false;
  std::uint64_t stretch_ns = 0;
  // Number of consecutive steps per entry.
  std::uint64_t per_entry = 1;
  // Sorted by `first`.
  std::vector<StepTimes> entries;

  // Returns the same with at most `most` entries, which combine more steps.
  StepPicture reducedTo(std::size_t most) const;
};

// Waiting in one column of time, of one rank or several.
struct WaitCell {
  // Time for which other ranks waited for this rank alone, summed over those
  // ranks. Overlapping operations of a waiting rank count once. Estimated, and
  // the certain part of it.
  std::uint64_t caused_ns = 0;
  std::uint64_t certain_ns = 0;
  // Time spent waiting for the last rank depended on. Overlapping operations
  // count once.
  std::uint64_t suffered_ns = 0;
  // Time that may be waiting or not, because of clock errors.
  std::uint64_t uncertain_ns = 0;
  // Number of operations for which a rank became ready, and of those with an
  // unknown wait.
  std::uint32_t operations = 0;
  std::uint32_t not_known = 0;
};

struct WaitPicture {
  // Start of the first column on the common time line: when the first rank was
  // ready for any operation.
  std::int64_t first_ns = 0;
  // Width of a column.
  std::uint64_t column_ns = 0;
  std::size_t columns = 0;
  struct Row {
    std::uint32_t first_rank = 0;
    std::uint32_t last_rank = 0;
    std::vector<WaitCell> cells;
  };
  std::vector<Row> rows;
  // Operations that take part in waiting but have no place in time.
  std::uint64_t without_time = 0;
};

// How late one rank was in operations in which it was last, by estimated
// clocks.
struct RankLateness {
  std::uint32_t rank = 0;
  // Time for which other ranks waited for this rank alone, summed over those
  // ranks. Overlapping operations of a waiting rank count once, so the sum is
  // at most the time that all ranks waited.
  std::uint64_t caused_ns = 0;
  // The certain part of `caused_ns`.
  std::uint64_t certain_ns = 0;
  // How long it waited itself. Overlapping operations count once.
  std::uint64_t suffered_ns = 0;
  std::uint64_t ready_times = 0;
  std::uint64_t last = 0;
  // Number of operations in which it was certainly last.
  std::uint64_t last_certain = 0;
  // Time after the second last rank; 0 if it was never last.
  std::uint64_t p25_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p75_ns = 0;
  std::uint64_t max_ns = 0;
};

// Bytes sent from one unit to another in all-to-alls and messages.
struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
  // Bytes with a known transfer time, and that time. All pairs of an all-to-all
  // share one time, so these are kept separately.
  struct Timed {
    std::uint64_t bytes = 0;
    std::uint64_t ns = 0;

    void add(const Timed& other) {
      bytes += other.bytes;
      ns += other.ns;
    }
  };
  Timed messages;
  Timed exchanges;
};

struct LinkPicture {
  // Number of consecutive ranks per unit; `from` and `to` are ranks divided by
  // it.
  std::uint32_t ranks_per_unit = 1;
  // If not empty, `from` and `to` are indices into it. The index after the last
  // represents ranks on none of the nodes.
  struct Node {
    std::string name;
    std::vector<std::uint32_t> ranks;
    // Number of following nodes merged into this one.
    std::uint32_t more = 0;
  };
  std::vector<Node> nodes;
  // Sorted by `from`, then `to`.
  std::vector<Link> links;
  // Number of all-to-alls left out, because their bytes per rank are unknown or
  // they have too many pairs.
  std::uint64_t left_out = 0;
};

// Bandwidths of one operation at about one size, in bytes per second.
struct Speed {
  std::string op;
  // Lower bound of the message size. The upper bound is twice that.
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  // Over the transfer time if known, else over the time from ready to end,
  // which gives a lower bandwidth.
  bool of_transfer = false;
  std::uint64_t busbw_p10 = 0;
  std::uint64_t busbw_p50 = 0;
  std::uint64_t busbw_p90 = 0;
};

struct Pictures {
  StepPicture steps;
  WaitPicture waits;
  // Sorted by rank.
  std::vector<RankLateness> lateness;
  LinkPicture links;
  // Sorted by operation and size.
  std::vector<Speed> speeds;

  // Returns the rank that others seem to have lost most time to. Returns
  // nullptr if another rank's delay, passed on by ranks that waited, may
  // explain as much.
  const RankLateness* worst() const;
};

}  // namespace traced
