// ReportSums adds up the operations of the streams that one thread reads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/pictures/picture_builder.h"
#include "analysis/pictures/step_picture.h"
#include "analysis/report/report.h"
#include "analysis/report/row_keys.h"
#include "analysis/report/row_samples.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

// Settings shared by the sums of all threads.
struct ReportPlan {
  RowKeys keys;
  // If set, operations are split by these ready times. `window_ns`: length of a
  // trend's windows.
  const ReadyTable* ready_times = nullptr;
  std::uint64_t window_ns = 1;
  // The interval to divide into parts, or into steps if any stream has them.
  // Used with `ready_times`.
  PictureSpan span;
  bool by_step = false;
  // Which operations count, and the node of each rank. Without `nodes`, all
  // count.
  ReportedScope scope = ReportedScope::kAll;
  const NodeIndex* nodes = nullptr;
};

// A stream with the data of the run that concerns it.
struct ReportedStream {
  // Its position among the run's streams.
  std::size_t index = 0;
  const StreamTable& table;
  // Catalog index of each of its groups. The catalog is complete.
  absl::Span<const std::uint32_t> groups;
  const GroupCatalog& catalog;
  // The stream as added to the ReadyTable; nullptr if operations are not split.
  const ReadyTable::Stream* ready_times = nullptr;
};

// Not thread safe. The result does not depend on the order of streams or on
// their distribution over instances. Memory: RowSamples, some KiB per row for
// times between ranks, and up to 64 bytes per operation of the current stream.
class ReportSums {
 public:
  explicit ReportSums(const ReportPlan& plan)
      : plan_(plan),
        steps_(plan.by_step, plan.span.first_ns, plan.span.last_ns) {}

  // Adds the operations of a stream, each stream once. `pictures` receives the
  // split operations; may be nullptr.
  void add(const ReportedStream& stream, PictureBuilder* pictures);
  void add(ReportSums&& other);

  // Stores the result in `report`. Rows are in order of first appearance.
  // `threads`: maximum number of threads to use.
  void finish(std::size_t threads, Report& report) &&;

 private:
  class StreamAdder;
  // Position of a first appearance: stream, then operation.
  using FirstUse = std::pair<std::size_t, std::size_t>;
  struct Row {
    FirstUse first;
    ReportRow report_row;
    RowSamples samples;
    // Splits of first calls.
    std::optional<SplitTotals> first_split;

    SplitTotals& splitOf(bool is_first) {
      if (!is_first) return report_row.split;
      return first_split ? *first_split : first_split.emplace();
    }
  };
  struct Rank {
    std::size_t index = 0;
    RankTotals totals;
  };

  // Returns the row, adding it if needed. Its address is stable.
  Row& rowFor(std::vector<std::string> keys, FirstUse first);

  const ReportPlan& plan_;
  std::vector<std::unique_ptr<Row>> rows_;
  absl::flat_hash_map<std::vector<std::string>, Row*> row_by_keys_;
  std::vector<Rank> ranks_;
  // One per group of the catalog.
  std::vector<CallTotals> group_totals_;
  std::vector<GroupStart> group_starts_;
  SmallCalls small_calls_;
  CallTotals all_;
  std::uint64_t out_of_scope_ = 0;
  StepPictureBuilder steps_;
};

}  // namespace traced
