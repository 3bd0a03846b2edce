// LiveStream holds the stream of a running process: operations in flight, and
// finished ones not counted yet.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/stream_table.h"
#include "base/in_flight.h"
#include "trace_io/row.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Not thread safe. Memory: operations in flight, and definitions.
class LiveStream {
 public:
  // Above this number of operations, settle() no longer waits for the oldest
  // ones to end.
  static constexpr std::size_t kMaxOperations = std::size_t{1} << 18;

  explicit LiveStream(const v1::Header& header);
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  // Add rows in the order in which they were recorded. Add definitions before
  // the rows that name them, or resolve() them when listed by unknown().
  // define() moves the definitions out of its argument.
  void define(v1::Payload& definitions);
  // Ignores a row unless its id is above that of the last operation in table().
  void add(const IssueRow& row);
  template <ProgressRow Row>
  void add(const Row& row) {
    AssembledOperation* op = find(row.op);
    if (!op) return;
    op->apply(row);
    if (ReportedCalls* const calls = endsOf(*op).reported) {
      learn(row, *op, *calls);
    }
  }
  void add(const MethodRow& row) {
    if (AssembledOperation* op = find(row.op)) table_.addMethod(row, *op);
  }
  void add(const MarkRow& row);
  template <typename Row>
  void add(const Row&) {}
  // Records that some earlier rows are missing. An operation without an end may
  // have ended.
  void addLoss() { may_lack_before_ = last_id_ + 1; }

  // unknown() returns the operations whose call has no definition: an issue row
  // for each, with the ids of its call and of its stack. Pass the definitions
  // of these ids to resolve(). Until then, these operations block later ones
  // from being settled.
  bool knowsAll() const { return unknown_.empty(); }
  v1::Payload unknown() const;
  void resolve(v1::Payload definitions);

  // Extends settled() to all operations before the first one that may still
  // end. It does not wait for operations older than 10 s, nor for the oldest
  // ones if the table has more than kMaxOperations. Operations listed by
  // unknown() block it. Call it after adding rows. `now_ns`: on the stream's
  // clock.
  void settle(std::int64_t now_ns);
  // Returns the ready times of the first operations of table(), one each. Valid
  // until the next settle() or forget().
  absl::Span<const ReadyTime> settled() const { return ready_; }
  // Removes the settled operations for which `counted` is true. `counted` must
  // have one entry per settled operation. Those still in flight remain visible
  // to forEachInFlight().
  void forget(const std::vector<bool>& counted);

  // Calls visit for each operation in flight, also if forget() has removed it.
  template <typename Visit>
  void forEachInFlight(Visit&& visit) const {
    for (const auto* operations : {&left_open_, &table_.operations}) {
      for (const AssembledOperation& op : *operations) {
        if (inFlight(op) == InFlight::kYes) visit(op);
      }
    }
  }
  bool isInFlight(const AssembledOperation& op) const {
    return inFlight(op) == InFlight::kYes;
  }
  // Returns operations that forget() removed while they were in flight, and
  // that the latest settle() found no longer in flight. Valid until the next
  // settle().
  absl::Span<const AssembledOperation> leftFlight() const {
    return left_flight_;
  }
  // Returns whether operations may be in flight that forEachInFlight() does not
  // visit: some ends are never recorded.
  bool mayHaveMoreInFlight() const;

  // Returns the definitions and all operations not yet removed, sorted by id.
  const StreamTable& table() const { return table_; }
  // Time of the latest issue.
  Instant lastIssue() const { return last_issue_; }
  // Number of operations with an unknown call, which were not counted.
  std::uint64_t lost() const { return lost_; }

  // Progress of the marked steps.
  struct Steps {
    std::uint64_t begun = 0;
    std::uint64_t number = 0;
    Instant began;
    // Duration of the last completed step.
    std::uint64_t last_ns = 0;
  };
  const Steps& steps() const { return steps_; }

 private:
  // An issue whose call is undefined.
  struct Unknown {
    std::uint64_t op = 0;
    std::uint32_t call = 0;
    std::uint32_t stack = 0;
  };

  // Returns an operation of the table, or one that was removed in flight.
  // Returns nullptr for any other id. The pointer is valid until operations are
  // added or removed.
  AssembledOperation* find(std::uint64_t id);
  // The kind of record that shows the ends of a call's operations.
  struct Ends {
    EndShownBy shown = EndShownBy::kUnknown;
    ReportedCalls* reported = nullptr;
  };

  // Returns the record that shows the operation's end. For a member of a batch
  // no record does.
  Ends endsOf(const AssembledOperation& op) const;
  void addEndsOf(std::uint32_t call);
  InFlight inFlight(const AssembledOperation& op) const;
  // Copies an operation to left_open_ if it is in flight. When that is full,
  // sets left_out_ instead. Stops tracking an operation whose end is unknown.
  // Call it before the operation leaves the table.
  void leaveOpen(const AssembledOperation& op);

  StreamTable table_;
  ReadyTimes ready_times_;
  std::vector<ReadyTime> ready_;
  // Operations in flight that were removed from the table.
  std::vector<AssembledOperation> left_open_;
  std::vector<AssembledOperation> left_flight_;
  // Whether left_open_ was too full for some operation.
  bool left_out_ = false;
  // By index of the call.
  std::vector<Ends> ends_of_call_;
  // By group and call mode. Addresses are stable.
  std::map<std::uint64_t, ReportedCalls> reported_;
  std::vector<Unknown> unknown_;
  // Index at which find() starts its search.
  std::size_t near_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t last_id_ = 0;
  // Operations with a lower id may lack records.
  std::uint64_t may_lack_before_ = 0;
  Instant last_issue_;
  Steps steps_;
};

}  // namespace traced
