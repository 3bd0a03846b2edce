// MeetingTable finds the meeting of each operation while the streams of a run
// are read.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/operation_index.h"
#include "analysis/job/run_filters.h"
#include "analysis/whatif/rank_actions.h"
#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// What a rank joined: the meeting of all ranks, its own part, or both. kNone:
// not that.
struct Joined {
  std::uint32_t whole = kNone;
  std::uint32_t own = kNone;
  // See Event::after and Event::lag_ns.
  std::uint32_t after = kNone;
  float after_lag_ns = 0;
  std::uint32_t kind = 0;
};

// What a wait waits for: the meeting of all ranks, the own part, or both.
struct Awaited {
  std::uint32_t whole = kNone;
  std::uint32_t own = kNone;
  std::uint32_t kind = 0;
};

// Not thread safe.
class MeetingTable {
 public:
  // Adds meetings and kinds to `job`. Both arguments must outlive it.
  MeetingTable(const NodeIndex& nodes, ReplayJob& job)
      : nodes_(nodes), job_(job) {}

  // Adds labels, and marks meetings that lack members.
  void finish(const GroupCatalog& groups);

 private:
  friend class StreamMeetings;

  std::uint32_t add(Meeting::Part part, std::uint32_t kind,
                    std::uint32_t parent);
  std::uint32_t kindOf(const StreamTable& table, const v1::Call& call,
                       std::uint32_t group);
  std::uint32_t nodeOf(std::uint32_t rank);

  const NodeIndex& nodes_;
  ReplayJob& job_;
  OperationIndex index_;
  // Numbers that stand for equal properties.
  absl::flat_hash_map<std::array<std::uint64_t, 7>, std::uint32_t> kinds_;
  absl::flat_hash_map<std::array<std::uint64_t, 4>, std::uint32_t> places_;
  absl::flat_hash_map<std::array<std::uint64_t, 4>, std::uint32_t> transfers_;
};

// StreamMeetings finds the meetings of one stream.
class StreamMeetings {
 public:
  // `groups`: catalog index of each of the stream's groups. `rank_index`: the
  // stream's index in ReplayJob::ranks. `table` and `meetings` must outlive it.
  StreamMeetings(const StreamTable& table,
                 const std::vector<std::uint32_t>& groups,
                 std::uint32_t rank_index, MeetingTable& meetings);

  // Joins an operation. `next_event`: the index of the first event that it
  // becomes. Call in the order of times.
  Joined join(const Action& action, const OperationEnd& end,
              std::size_t next_event);
  Awaited awaited(std::uint32_t op) const;

 private:
  // An operation that this rank joined.
  struct Own {
    std::uint32_t whole = kNone;
    std::uint32_t own = kNone;
    // The meeting whose end ends the operation on this rank.
    std::uint32_t ends_with = kNone;
    bool waits_for_whole = false;
  };
  // Operations of a queue: those that kept its workers busy longest, latest
  // first.
  struct Queue {
    struct Busy {
      std::uint32_t meeting = kNone;
      std::int64_t end_ns = 0;
      std::int64_t free_ns = std::numeric_limits<std::int64_t>::min();
    };
    std::array<Busy, 2> latest;

    void add(const Busy& busy);
  };

  Own joinedParts(const AssembledOperation& op, const MatchedCall* call,
                  std::uint32_t kind);
  void addReady(std::uint32_t meeting, std::int64_t ready_ns, float clock_ns,
                std::size_t event);
  void addEnd(std::uint32_t meeting, const OperationEnd& end);

  const StreamTable& table_;
  const MatchedCalls calls_;
  const std::uint32_t rank_index_;
  MeetingTable& meetings_;
  // Per call: its kind.
  std::vector<std::uint32_t> kinds_;
  std::vector<Own> own_;
  // Per group of the stream.
  std::vector<Queue> queues_;
};

}  // namespace traced::whatif
