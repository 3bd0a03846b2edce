// ReplayJob is a run in the form that can be replayed: what each rank did, in
// order, and the operations in which ranks meet.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "traced/v1/definitions.pb.h"

namespace traced::whatif {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Properties that many operations share.
struct Kind {
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  std::uint64_t bytes = 0;
  // Index into ReplayJob::groups.
  std::uint32_t group = kNone;
  std::uint32_t group_size = 0;
  // For a message: 1 if it goes to a higher rank, -1 if to a lower one.
  int direction = 0;
  // For a message, the shorter way around the group's ring of ranks: 1
  // forwards, -1 backwards, 0 both. So all ranks of a ring do the same.
  int way = 0;
  // Nodes of a message, or kNone.
  std::uint32_t from_node = kNone;
  std::uint32_t to_node = kNone;
  // Equal for calls that are the same on every rank, whatever their group.
  std::uint32_t place = 0;
  // Equal for transfers that should take the same time.
  std::uint32_t transfer = 0;
};

// A meeting is an operation, or the part of one rank that depends on nobody. It
// ends a transfer time after the last of its ranks joined.
struct Meeting {
  // When the last rank was ready, and the earliest end, in common time.
  std::int64_t ready_ns = 0;
  std::int64_t end_ns = 0;
  // From `ready_ns` to the end: estimate and bounds.
  float transfer_ns = 0;
  float low_ns = 0;
  float high_ns = 0;
  // The maximum error of a member's clock.
  float clock_ns = 0;
  std::uint32_t last_rank = kNone;  // index into ReplayJob::ranks
  std::uint32_t last_event = 0;     // of that rank: when it joined
  std::uint32_t kind = kNone;       // index into ReplayJob::kinds
  std::uint32_t joins = 0;
  // The meeting of all ranks, for the part of one rank.
  std::uint32_t parent = kNone;
  enum class Part : std::uint8_t {
    kWhole,
    // Waits for nobody, such as the root of a broadcast.
    kIndependent,
    // Waits for nobody if the engine buffers messages.
    kSend,
    // Waits for the root alone. Ends a transfer time after both were ready.
    kReceiver,
    // The operation cannot be matched with those of other ranks.
    kUnmatched,
  };
  Part part = Part::kWhole;
  bool has_end = false;
  // The end is only an upper bound.
  bool late_end = false;
  // Some members have no trace, or did not join.
  bool incomplete = false;
  // It may have waited for ranks that did not join it. Engines may pass data
  // on, and a sender may wait for its receiver.
  bool is_loose = false;
};

// One action of a rank: it joins a meeting, or waits for the end of one.
struct Event {
  // Time spent outside of recorded calls and waits since the previous event.
  float gap_ns = 0;
  // The part of the gap in which the program may have waited without a record.
  float may_wait_ns = 0;
  // How long the wait lasted after its meeting had ended; negative if it ended
  // before. While a job is built: how long the rank was blocked. Of a join: how
  // long after the end of `after` its queue was busy at most.
  float lag_ns = 0;
  // The part of the lag until the operation ended on this rank. It ends later
  // there than elsewhere if, for example, its thread has no CPU. While a job is
  // built: the time from that end to the end of the wait; negative if unknown.
  float own_lag_ns = 0;
  std::uint32_t meeting = 0;
  // A rank that joins is ready only after this meeting of the same queue has
  // ended. kNone: at once.
  std::uint32_t after = kNone;
  std::uint32_t kind : 29 = 0;  // index into ReplayJob::kinds
  std::uint32_t is_wait : 1 = 0;
  // Whether the program waited is unknown. If so, it waited in the gap before.
  std::uint32_t is_unseen : 1 = 0;
  // The second event of one call or wait. Roots and other ranks differ in them,
  // so they are not compared between ranks. Without a gap.
  std::uint32_t is_second : 1 = 0;

  // Returns whether other ranks with the same program have the same event.
  bool isCompared() const { return !is_unseen && !is_second; }
};

// A training step of one rank.
struct Step {
  std::uint64_t number = 0;
  std::uint32_t first_event = 0;
};

struct RankEvents {
  std::uint32_t rank = 0;
  // Common time: before the first event's gap, and after the last event.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // The maximum error of the rank's clock when it began.
  float clock_ns = 0;
  std::vector<Event> events;
  // Ascending. The first one begins at event 0.
  std::vector<Step> steps;
  // Parts that correspond to each other on all ranks: the steps, or, without
  // marks, the time between some operations of all ranks.
  std::vector<Step> sections;

  // Returns the events of a step or section, given by its index in `parts`.
  absl::Span<const Event> of(const std::vector<Step>& parts,
                             std::size_t index) const;
  std::uint32_t endOf(const std::vector<Step>& parts, std::size_t index) const {
    return index + 1 < parts.size() ? parts[index + 1].first_event
                                    : static_cast<std::uint32_t>(events.size());
  }
};

// Reasons why an answer is unknown or less certain.
struct Doubts {
  std::vector<std::uint32_t> missing_ranks;
  // Ranks that lost records: their computing contains lost operations.
  std::vector<std::uint32_t> lossy_ranks;
  // Operations that never ended, and the ranks that were in them.
  std::uint64_t unfinished = 0;
  std::vector<std::uint32_t> unfinished_ranks;
  std::uint64_t failed = 0;
  // Operations on a device whose times are unknown.
  std::uint64_t untimed = 0;
  std::uint64_t unseen_waits = 0;
  std::uint64_t late_ends = 0;
  std::uint64_t unmatched = 0;
  // Ranks whose clock is not aligned with the others.
  std::uint64_t unaligned_clocks = 0;
  // The error between clocks of two ranks.
  std::uint64_t clock_ns = 0;
  bool paused = false;
};

struct ReplayJob {
  // Sorted by rank.
  std::vector<RankEvents> ranks;
  std::vector<Meeting> meetings;
  std::vector<Kind> kinds;
  // Labels of groups, equal for groups of one role, and names of nodes.
  std::vector<std::string> groups;
  std::vector<std::string> nodes;
  // For each Kind::transfer: the largest usual lag of a wait. Longer lags are
  // not explained by the model.
  std::vector<float> usual_lag_ns;
  // The mean and the largest lag of the waits that were blocked.
  float mean_lag_ns = 0;
  float max_lag_ns = 0;
  std::uint64_t operations = 0;
  // Whether any rank marked steps.
  bool has_steps = false;
  Doubts doubts;

  std::int64_t beginNs() const;
  std::int64_t endNs() const;
  double measuredNs() const { return static_cast<double>(endNs() - beginNs()); }
  // The maximum error of measuredNs().
  double measuredErrorNs() const;
  std::size_t events() const;
};

}  // namespace traced::whatif
