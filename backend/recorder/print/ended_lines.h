// EndedLines collects the records of each operation and makes a line of text
// when it is over (TRACED_PRINT=done). docs/reference/settings.md, "Printing",
// describes the line.

#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/options.h"
#include "trace_io/operation_line.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class EndedLines {
 public:
  // Maximum number of operations that are not over. Then the oldest one has its
  // line early.
  static constexpr std::size_t kMaxOpen = std::size_t{1} << 16;
  // After this time an operation has its line even if more may become known:
  // the program does not wait for it, or nothing will show the end.
  static constexpr std::int64_t kMaxDelayNs = 1'000'000'000;
  // For take(): the process ends, so nothing more will become known.
  static constexpr std::int64_t kAtExit =
      std::numeric_limits<std::int64_t>::max();

  // `known` resolves the ids in records. It must outlive this object.
  EndedLines(PrintMode mode, const ValueOptions& values,
             const ChunkBuilder& known, const v1::Header& header);

  void add(const Ring::Record& record);
  // Returns the lines of operations that are over, in the order of their ends.
  // `now_ns`: monotonic.
  std::vector<std::string> take(std::int64_t now_ns);

 private:
  struct KnownCall {
    std::shared_ptr<const v1::Call> call;  // nullptr: unknown
    bool is_printed = false;
    std::string group;
    std::uint32_t group_size = 0;
    std::string members;
    // Tensors that the call fills and whose statistics are recorded.
    std::uint64_t outputs = 0;
    std::uint64_t* count = nullptr;  // in counts_; nullptr: not counted
  };
  // An operation that is not over.
  struct Open {
    OperationLine line;
    std::shared_ptr<const v1::Call> call;
    std::int64_t issue_ns = 0;
    bool has_end = false;
    bool was_waited_for = false;
    // Nothing more will be known: it failed, or its Work was dropped.
    bool is_released = false;
    // Outputs whose statistics are still missing.
    std::uint64_t missing_outputs = 0;

    bool isOver() const {
      return is_released || (was_waited_for && has_end && missing_outputs == 0);
    }
  };

  void issued(const Ring::Record& record);
  void returned(const ReturnRecord& record);
  void waited(const WaitRecord& wait);
  void done(const DoneRecord& done);
  void released(OpId op);
  void summarized(const StatisticsRow& row);
  void setEnd(OpId op, Open& open, std::int64_t end_ns, v1::EndSource source);
  void setFailed(Open& open, std::uint32_t error);
  // Returns nullptr if the operation has no line.
  Open* find(OpId op);
  const KnownCall& knownCall(std::uint32_t id);
  KnownCall describe(const v1::Call& call, const v1::Group& group);

  const PrintMode mode_;
  const ValueOptions values_;
  const ChunkBuilder& known_;
  const v1::Header header_;
  std::unordered_map<std::uint32_t, KnownCall> calls_;
  // By operation and shape.
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
  std::map<OpId, Open> open_;
  // Operations that may be over since the last take().
  std::vector<OpId> changed_;
  // Operations that have their line kMaxDelayNs after this time.
  std::deque<std::pair<std::int64_t, OpId>> due_;
  // Lines of operations for which there was no room.
  std::vector<std::string> early_;
  std::uint64_t step_plus_1_ = 0;
};

}  // namespace traced
