// OperationSums adds up a rank's operations from its records. Each operation is
// added once, as soon as its part of a total is known. Owned by the writer
// thread, which reads every record anyway.
//
// An operation is counted once the program has waited for it or released it, or
// it has failed. Its durations are added when its end is known. Unknown values
// are treated as in `tracectl report`.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/cover_bound.h"
#include "recorder/metrics/metrics.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/chunks/operation_summary.h"
#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"
#include "trace_io/operation_progress.h"

namespace traced {

// The required facts about a call.
struct FollowedCall {
  std::uint32_t id = 0;  // 0: none
  CallFacts facts;
  bool is_followed = false;
  EndShownBy shown = EndShownBy::kUnknown;
  // Only for EndShownBy::kReports: see modeKey().
  std::uint64_t reported_key = 0;
  bool has_no_future = false;
  OperationProgress::Waiting waiting;
};

struct FollowedOperation : OperationProgress {
  FollowedCall call;
  // Which of its parts are in the totals.
  bool counted = false;
  bool times_added = false;

  EndShownBy shownBy() const {
    const bool is_member =
        batch > 0 && call.facts.operation != Operation::kCoalesced;
    return is_member ? EndShownBy::kNothing : call.shown;
  }
};

class OperationSums {
 public:
  // Maximum number of tracked slow operations, and of tracked others. The
  // latest are kept.
  static constexpr std::size_t kMaxSlow = 4096;
  static constexpr std::size_t kMaxYoung = 32768;

  // `known` resolves the ids in records. It must outlive this object.
  explicit OperationSums(const ChunkBuilder& known) : known_(known) {}

  // Adds a record. `known` must already contain its definitions.
  void update(const Ring::Record& record);

  // Notes that records are missing. An operation without an end may then have
  // ended.
  void addLoss() { may_lack_before_ = last_id_ + 1; }

  // Returns the totals so far.
  const RankFigures& figures(std::int64_t now_ns);

 private:
  void add(const IssueRow& row);
  void add(const MarkRow& row);
  template <ProgressRow Row>
  void add(const Row& row);
  template <typename Row>
  void add(const Row&) {}
  // Add an operation to the totals, once each: its count and bytes, and its
  // durations.
  void count(FollowedOperation& op);
  void addTimes(FollowedOperation& op);
  void addUnseenWait(const FollowedOperation& op);
  // Adds what is known. Returns whether nothing else can be added later.
  bool settle(FollowedOperation& op, std::int64_t now_ns);
  // Moves an operation to slow_, making room if necessary.
  void makeSlow(const FollowedOperation& op);
  // Drops the older entries of slow_, except the first ones in flight.
  void makeRoom();
  void leave(FollowedOperation& op);
  // Returns whether the operation is in flight, as far as its records show.
  InFlight inFlight(const FollowedOperation& op);
  ReportedCalls* reportedOf(const FollowedOperation& op);
  // Forgets a group that was destroyed.
  void retired(std::uint32_t group);
  void countInFlight();
  // Returns nullptr if the operation is not tracked.
  FollowedOperation* find(OpId id);
  const FollowedCall& callOf(std::uint32_t id);

  const ChunkBuilder& known_;
  RankFigures figures_;
  CoverBound unseen_waits_;
  CoverBound blocked_;
  // Ordered by id. All ids in slow_ are less than those in young_.
  std::vector<FollowedOperation> slow_;
  std::deque<FollowedOperation> young_;
  // Start index of the search in find().
  std::size_t near_ = 0;
  std::array<FollowedCall, 256> calls_{};
  // By group and mode. Contains existing groups only.
  std::unordered_map<std::uint64_t, ReportedCalls> reported_;
  OpId last_id_ = 0;
  // Operations with smaller ids may lack records.
  OpId may_lack_before_ = 0;
  // Some operations in flight are not tracked for lack of room.
  bool left_out_ = false;
};

}  // namespace traced
