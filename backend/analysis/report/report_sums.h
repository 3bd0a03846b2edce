// ReportSums adds up the operations of some of the streams of a run: those that
// one thread reads.

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
#include "analysis/report/report.h"
#include "analysis/report/row_keys.h"
#include "analysis/report/row_samples.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

// What the sums of all threads are made by.
struct ReportPlan {
  RowKeys keys;
  // Operations are split where this is known: when ranks arrived, and how long
  // the windows of a trend are.
  const ReadyTable* ready_times = nullptr;
  std::uint64_t window_ns = 1;
  // Which operations count, and where ranks ran; without `nodes` all do.
  ReportedScope scope = ReportedScope::kAll;
  const NodeIndex* nodes = nullptr;
};

// A stream, and what the run says of it.
struct ReportedStream {
  // Its number among those of the run.
  std::size_t place = 0;
  const StreamTable& table;
  // Of its groups, their indices in the catalog, which has all of them.
  absl::Span<const std::uint32_t> groups;
  const GroupCatalog& catalog;
  // As it was shown to the arrivals; nullptr where there are none.
  const ReadyTable::Stream* arrived = nullptr;
};

// Not thread safe. Sums of any streams, added in any order, are the same.
// Memory: that of RowSamples and some KiB per row for what is between ranks;
// while a stream is added up to 64 bytes for each of its operations.
class ReportSums {
 public:
  explicit ReportSums(const ReportPlan& plan) : plan_(plan) {}

  // `pictures`: is shown the operations that are split; may be nullptr.
  void add(const ReportedStream& stream, PictureBuilder* pictures);
  void add(ReportSums&& other);

  // Rows are in the order in which the streams come upon them. `threads`: how
  // many may work at once.
  void finish(std::size_t threads, Report& report) &&;

 private:
  class StreamAdder;
  // Where in the run something is met first: stream and operation.
  using Place = std::pair<std::size_t, std::size_t>;
  struct Row {
    Place first;
    ReportRow told;
    RowSamples samples;
  };
  struct Rank {
    std::size_t place = 0;
    RankTotals told;
  };

  // A row stays where it is.
  Row& rowFor(std::vector<std::string> keys, Place first);

  const ReportPlan& plan_;
  std::vector<std::unique_ptr<Row>> rows_;
  absl::flat_hash_map<std::vector<std::string>, Row*> row_by_keys_;
  std::vector<Rank> ranks_;
  // One per group of the catalog.
  std::vector<CallTotals> group_totals_;
  CallTotals all_;
  std::uint64_t out_of_scope_ = 0;
};

}  // namespace traced
