// OperationSums adds up the operations of a rank from its records: each once,
// as soon as its part of a sum is known. Owned by the writer thread, which sees
// every record anyway.
//
// An operation is counted when the program is through with it: it waited for
// it, let go of it, or it failed. Its times to the end and in the wait are
// added when its end is known. What is not known by then adds up as a report
// has it.

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

// What is needed of a call.
struct FollowedCall {
  std::uint32_t id = 0;  // 0: none
  CallFacts facts;
  bool is_followed = false;
  EndShownBy shown = EndShownBy::kUnknown;
  // For EndShownBy::kReports: see modeKey().
  std::uint64_t reported_key = 0;
  bool has_no_future = false;
};

struct FollowedOperation : OperationProgress {
  FollowedCall call;
  // Its parts that are in the sums.
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
  // Of those that take longer than that, and of the others, these are followed
  // at most: the latest.
  static constexpr std::size_t kMaxSlow = 4096;
  static constexpr std::size_t kMaxYoung = 32768;

  // `known` knows what the records name; it outlives the sums.
  explicit OperationSums(const ChunkBuilder& known) : known_(known) {}

  // Adds a record that the definitions have seen.
  void see(const Ring::Record& record);

  // Some records so far are missing. An operation without an end may have
  // ended.
  void addLoss() { may_lack_before_ = last_id_ + 1; }

  // What is known now.
  const RankFigures& figures(std::int64_t now_ns);

 private:
  void add(const IssueRow& row);
  void add(const MarkRow& row);
  template <ProgressRow Row>
  void add(const Row& row);
  template <typename Row>
  void add(const Row&) {}
  void count(FollowedOperation& op);
  void addTimes(FollowedOperation& op);
  void addUnseenWait(const FollowedOperation& op);
  // Whether nothing more comes that would be added; adds what there is.
  bool settle(FollowedOperation& op, std::int64_t now_ns);
  void makeSlow(const FollowedOperation& op);
  void makeRoom();
  void leave(FollowedOperation& op);
  InFlight inFlight(const FollowedOperation& op);
  ReportedCalls* reportedOf(const FollowedOperation& op);
  void retired(std::uint32_t group);
  void countInFlight();
  FollowedOperation* find(OpId id);
  const FollowedCall& callOf(std::uint32_t id);

  const ChunkBuilder& known_;
  RankFigures figures_;
  CoverBound unseen_waits_;
  // In the order of their ids; those in slow_ are before those in young_.
  std::vector<FollowedOperation> slow_;
  std::deque<FollowedOperation> young_;
  // Where find() begins.
  std::size_t near_ = 0;
  std::array<FollowedCall, 256> calls_{};
  // By group and manner; of groups that exist.
  std::unordered_map<std::uint64_t, ReportedCalls> reported_;
  OpId last_id_ = 0;
  // Operations before this one may lack records.
  OpId may_lack_before_ = 0;
  // There was no room for some that are in flight.
  bool left_out_ = false;
};

}  // namespace traced
