// LiveStream is one process's stream while it is recorded: the operations that
// are under way, and those that are over and not counted yet.

#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/apply_rows.h"
#include "analysis/stream/stream_table.h"
#include "trace_io/row.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Not thread safe. Memory: that of what is under way, and definitions.
class LiveStream {
 public:
  // An operation that is not over for so long is counted as it is: those behind
  // it wait for it, as when a rank was ready is told by what was before.
  static constexpr std::int64_t kLongestNs = 10'000'000'000;
  // Of these at most are kept, the latest.
  static constexpr std::size_t kMostOperations = std::size_t{1} << 18;

  explicit LiveStream(const v1::Header& header);
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  // Rows come in the order in which they were recorded, and what they name is
  // defined before them, or else named by unknown().
  void define(v1::Payload& definitions);
  void add(const IssueRow& row);
  template <typename Row>
  void add(const Row& row) {
    AssembledOperation* op = find(row.op);
    if (!op) return;
    if constexpr (std::is_same_v<Row, MethodRow>) {
      apply(row, table_, *op);
    } else {
      apply(row, *op);
    }
  }
  void add(const MarkRow& row);

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

  // Calls visit with each operation that is under way, as far as is known: also
  // those that were counted without an end.
  template <typename Visit>
  void forEachOpen(Visit&& visit) const {
    for (const AssembledOperation& op : left_open_) visit(op);
    for (const AssembledOperation& op : table_.operations) {
      if (isOpen(op)) visit(op);
    }
  }

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
  void leaveOpen(const AssembledOperation& op);
  static bool isOver(const AssembledOperation& op);
  static bool isOpen(const AssembledOperation& op);
  static bool mayEndBetter(const AssembledOperation& op, std::int64_t now_ns);

  StreamTable table_;
  ReadyTimes ready_times_;
  std::vector<ReadyTime> ready_;
  // Of those that are forgotten what is under way: the latest.
  std::vector<AssembledOperation> left_open_;
  std::vector<Unknown> unknown_;
  // Where find() begins.
  std::size_t near_ = 0;
  std::uint64_t lost_ = 0;
  Instant last_issue_;
  Steps steps_;
};

}  // namespace traced
