// StreamAdder adds one stream to the sums of a report.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/held_time.h"
#include "analysis/report/parent_calls.h"
#include "analysis/report/report_sums.h"
#include "analysis/report/stream_starts.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/operation_values.h"
#include "analysis/time_split/rank_time.h"

namespace traced {

class ReportSums::StreamAdder {
 public:
  StreamAdder(ReportSums& sums, const ReportedStream& stream,
              PictureBuilder* pictures);

  void addAll();

 private:
  // Data shared by all operations with one call and one RowContext.
  struct Part {
    Row* row = nullptr;
    std::uint32_t group = GroupCatalog::kNone;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    bool captured = false;
    CallSize size;
    std::size_t size_number = 0;  // within the samples of the row
    CallTotals totals;
    // Lateness of the rank in this row. Set by its first operation with a known
    // last rank.
    Lateness* lateness = nullptr;
  };

  // An operation without a recorded wait, and its row and group.
  struct Unseen {
    UnseenWaits::Window window;
    Row* row = nullptr;
    std::uint32_t group = 0;
  };

  // `operation` is an index into the stream's operations. `call` is nullptr if
  // unknown.
  void add(std::size_t operation, const v1::Call* call);
  // Returns the shared data of the operation. Makes it, and its row, if needed.
  Part& partOf(std::size_t operation, const v1::Call* call);
  // Makes the data shared by the operations of `call` in the row of `context`.
  Part makePart(std::size_t operation, const v1::Call* call,
                const RowContext& context);
  void addSplit(const OperationSplit& split, bool is_first, Part& part);
  // Adds to the lateness of this rank in the row, if the last rank is certain.
  void addReady(std::size_t operation, const OperationSplit& split, Part& part);
  // Returns the window of the trend in which the rank was ready. Absent if that
  // is unknown or outside all windows.
  std::optional<std::size_t> windowOf(const OperationSplit& split) const;
  // Adds the sums of a part to `rank`, to its row and group, and to the total.
  // Call once per part, after all operations.
  void addTotals(const Part& part, CallTotals& rank);
  // Adds the bounds of unseen waits to rows and groups. Call after all
  // operations.
  void addUnseen();

  ReportSums& sums_;
  const ReportPlan& plan_;
  const ReportedStream& stream_;
  const StreamTable& table_;
  PictureBuilder* const pictures_;
  const Batches batches_;
  const BatchSizes sizes_;
  std::optional<ReadyRows> ready_times_;
  absl::flat_hash_map<std::pair<std::uint32_t, RowContext>,
                      std::unique_ptr<Part>>
      parts_;
  // The latest part per call. The next operation of the call usually has the
  // same part.
  struct Newest {
    RowContext context;
    Part* part = nullptr;
  };
  std::vector<Newest> newest_of_call_;
  Newest without_call_;
  std::vector<Unseen> unseen_;
  const bool by_parent_;
  ParentCalls parents_;
  const OperationValues values_;
  StreamStarts starts_;
  SmallCalls::OfStream small_calls_;
  const HeldTime held_;
  const TimeWindow span_;
  RankTime time_;
};

}  // namespace traced
