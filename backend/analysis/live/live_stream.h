// LiveStream is one process's stream while it is recorded: the operations that
// are under way, and those that are over and not counted yet.

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

// Not thread safe. Memory: that of what is under way, and definitions.
class LiveStream {
 public:
  // Of these at most are kept, the latest.
  static constexpr std::size_t kMaxOperations = std::size_t{1} << 18;

  explicit LiveStream(const v1::Header& header);
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  // Rows come in the order in which they were recorded, and what they name is
  // defined before them, or else named by unknown().
  void define(v1::Payload& definitions);
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
  // Some records so far are missing. An operation without an end may have
  // ended.
  void addLoss() { may_lack_before_ = last_id_ + 1; }

  // What operations name and nothing defines, as rows; what is then defined is
  // to be given to resolve(). Until then they hold up those behind them.
  bool knowsAll() const { return unknown_.empty(); }
  v1::Payload unknown() const;
  void resolve(v1::Payload definitions);

  // Moves on to now, on the clock of the stream. Afterwards settled() are over,
  // and when their rank was ready for them is known.
  void settle(std::int64_t now_ns);
  // Of the first operations of the table.
  absl::Span<const ReadyTime> settled() const { return ready_; }
  // Forgets those of them for which `counted` is true.
  void forget(const std::vector<bool>& counted);

  // Calls visit with each operation that is in flight, also with those that
  // were counted without an end.
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
  // Operations that were forgotten in flight, and are no longer in flight since
  // the latest settle().
  absl::Span<const AssembledOperation> leftFlight() const {
    return left_flight_;
  }
  // Whether others may be in flight: no record shows the ends of some calls.
  bool mayHaveMoreInFlight() const;

  // All operations that are not forgotten, in the order of their ids.
  const StreamTable& table() const { return table_; }
  // When an operation was last issued.
  Instant lastIssue() const { return last_issue_; }
  // Operations of which no call is known, and that were not counted.
  std::uint64_t lost() const { return lost_; }

  // The latest marks.
  struct Steps {
    std::uint64_t begun = 0;
    std::uint64_t number = 0;
    Instant began;
    // Of the last that ended.
    std::uint64_t last_ns = 0;
  };
  const Steps& steps() const { return steps_; }

 private:
  // An issue whose call is not known.
  struct Unknown {
    std::uint64_t op = 0;
    std::uint32_t call = 0;
    std::uint32_t stack = 0;
  };

  AssembledOperation* find(std::uint64_t id);
  // What shows the ends of a call's operations.
  struct Ends {
    EndShownBy shown = EndShownBy::kUnknown;
    ReportedCalls* reported = nullptr;
  };

  Ends endsOf(const AssembledOperation& op) const;
  void addEndsOf(std::uint32_t call);
  InFlight inFlight(const AssembledOperation& op) const;
  void leaveOpen(const AssembledOperation& op);

  StreamTable table_;
  ReadyTimes ready_times_;
  std::vector<ReadyTime> ready_;
  // Those that are in flight, of the ones that are forgotten.
  std::vector<AssembledOperation> left_open_;
  std::vector<AssembledOperation> left_flight_;
  // There was no room for some of those.
  bool left_out_ = false;
  // By index of the call.
  std::vector<Ends> ends_of_call_;
  // By group and manner. They stay where they are.
  std::map<std::uint64_t, ReportedCalls> reported_;
  std::vector<Unknown> unknown_;
  // Where find() begins.
  std::size_t near_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t last_id_ = 0;
  // Operations before this one may lack records.
  std::uint64_t may_lack_before_ = 0;
  Instant last_issue_;
  Steps steps_;
};

}  // namespace traced
