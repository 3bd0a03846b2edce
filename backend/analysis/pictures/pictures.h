// Pictures is what the pictures of a report show: sums over steps, over time
// and ranks, over pairs of ranks and over sizes. However long a run is and
// however many ranks it has, there are so and so many of each at most.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// Rank time of some steps, or of a stretch of time where no steps are marked.
// An operation under way beside computing is hidden, unless the program may
// have waited for it unseen.
struct StepTimes {
  // The first step of it, or which stretch it is.
  std::uint64_t first = 0;
  // Steps times ranks that are known from begin to end.
  std::uint64_t count = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t computing_ns = 0;
  std::uint64_t hidden_ns = 0;
  std::uint64_t calls_ns = 0;
  std::uint64_t wait_for_peers_ns = 0;
  std::uint64_t transfer_ns = 0;
  // By how much clocks leave open what of these two was which.
  std::uint64_t uncertain_ns = 0;
  // In waits of which it is not known what they were.
  std::uint64_t undecided_ns = 0;
  // In waits that no record shows, or computing: which is not known.
  std::uint64_t may_wait_ns = 0;
  // Steps of ranks that ended inside of an operation: they last until then.
  std::uint64_t not_ended = 0;
  // Operations whose wait was not seen.
  std::uint64_t waits_unknown = 0;

  std::uint64_t totalNs() const {
    return computing_ns + hidden_ns + calls_ns + wait_for_peers_ns +
           transfer_ns + undecided_ns + may_wait_ns;
  }
};

struct StepPicture {
  // Else stretches of time of the whole run, which are so long.
  bool by_step = false;
  std::uint64_t stretch_ns = 0;
  // So many steps that follow each other are one entry.
  std::uint64_t per_entry = 1;
  // By `first`.
  std::vector<StepTimes> entries;
};

// Waiting in one column of time, of one rank or several.
struct WaitCell {
  // While all others of an operation were ready and waited for this rank, times
  // their number; of messages, broadcasts and the like the wait of each that
  // depends on it, for it alone. As clocks have it, and of that what is
  // certain.
  std::uint64_t caused_ns = 0;
  std::uint64_t certain_ns = 0;
  // For the last of those that it depends on.
  std::uint64_t suffered_ns = 0;
  // By how much that can be off.
  std::uint64_t uncertain_ns = 0;
  // Operations, and those of which it is not known how long they waited.
  std::uint32_t operations = 0;
  std::uint32_t not_known = 0;
};

struct WaitPicture {
  // From when the first rank was ready for anything.
  std::uint64_t column_ns = 0;
  std::size_t columns = 0;
  struct Row {
    std::uint32_t first_rank = 0;
    std::uint32_t last_rank = 0;
    std::vector<WaitCell> cells;
  };
  std::vector<Row> rows;
  // Operations with a part in waiting that have no place on the time line.
  std::uint64_t without_time = 0;
};

// How late one rank was where it was the last, as clocks have it.
struct RankLateness {
  std::uint32_t rank = 0;
  std::uint64_t caused_ns = 0;
  // Of that what is certain.
  std::uint64_t certain_ns = 0;
  // How long it waited itself.
  std::uint64_t suffered_ns = 0;
  std::uint64_t ready_times = 0;
  std::uint64_t last = 0;
  // How often of these that is certain.
  std::uint64_t last_certain = 0;
  // How long after the last but one; 0 where it never was the last.
  std::uint64_t p25_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p75_ns = 0;
  std::uint64_t max_ns = 0;
};

// What went from some ranks to others, in all-to-alls and messages.
struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
  // Of those whose transfer time is known, and that time. All pairs of an
  // all-to-all share one time, so these are told by themselves.
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
  // So many ranks that follow each other are told as one: `from` and `to` are
  // ranks divided by that.
  std::uint32_t ranks_per_unit = 1;
  // Not empty: `from` and `to` are indices of it. Who is on none of them has
  // the number behind the last.
  struct Node {
    std::string name;
    std::vector<std::uint32_t> ranks;
    // So many that follow it are told as one with it.
    std::uint32_t more = 0;
  };
  std::vector<Node> nodes;
  // By `from` and `to`.
  std::vector<Link> links;
  // All-to-alls that are in none: whom they sent how much is not known, or
  // there are too many pairs.
  std::uint64_t left_out = 0;
};

// Bandwidths of one operation of about one size, in bytes per second.
struct Speed {
  std::string op;
  // The size of the message is from here to below twice that.
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  // Of the transfer where that is known; else from being ready to the end,
  // which is at most as fast.
  bool of_transfer = false;
  std::uint64_t busbw_p10 = 0;
  std::uint64_t busbw_p50 = 0;
  std::uint64_t busbw_p90 = 0;
};

struct Pictures {
  StepPicture steps;
  WaitPicture waits;
  // By rank.
  std::vector<RankLateness> lateness;
  LinkPicture links;
  // By operation and size.
  std::vector<Speed> speeds;

  // The one that others seem to have lost most time to; nullptr where another
  // one's delay, passed on by ranks that waited, may explain as much.
  const RankLateness* worst() const;
};

}  // namespace traced
