// ReportBuilder makes a Report from streams that are shown to it one by one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/unseen_waits.h"
#include "analysis/pictures/picture_builder.h"
#include "analysis/report/report.h"
#include "analysis/report/row_keys.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Not thread safe. Memory: up to 40 bytes per operation, whatever the ranks,
// for one rank at a time up to 64 more,
// and some KiB per row for what is between ranks.
class ReportBuilder {
 public:
  // What of a run is known beforehand, for the split into waiting for peers and
  // transfer: when ranks arrived, and the clocks.
  struct Peers {
    const ArrivalTable& arrivals;
    ClockSummary clocks;
  };
  // Which operations count, and where ranks ran.
  struct Scope {
    ReportedScope reported;
    const NodeIndex& nodes;
  };

  // Without `peers` operations are not split, without `scope` all count,
  // without `roles` each group has rows of its own. They must outlive the
  // builder.
  explicit ReportBuilder(std::vector<ReportKey> by,
                         const Peers* peers = nullptr,
                         const Scope* scope = nullptr,
                         const GroupRoles* roles = nullptr);
  // Shows it all operations that are split. Must outlive the builder.
  void showTo(PictureBuilder& pictures) { pictures_ = &pictures; }

  // Streams are added in the order of their ranks.
  void add(const StreamTable& table) { addStream(table, nullptr); }
  // The same for a stream as it was shown to the arrivals.
  void add(const ArrivalTable::Stream& stream) {
    addStream(stream.table, &stream);
  }

  // Rows are in no particular order; see sortRows().
  Report finish() &&;

 private:
  struct Samples {
    std::vector<std::uint64_t> host_ns;
    std::vector<std::uint64_t> completion_ns;
    std::vector<std::uint64_t> wait_ns;
    std::vector<double> algbw_gbs;
    std::vector<double> busbw_gbs;
  };
  // What all operations of one call of one stream, at one place, have in
  // common.
  struct Plan {
    std::uint32_t row = 0;
    std::uint32_t group = GroupCatalog::kNone;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    bool captured = false;
    double message_bytes = 0;
    double bus_factor = -1;  // negative: no bandwidth
    // Of this stream.
    CallTotals totals;
  };

  // An operation whose wait was not seen, and what it is part of.
  struct Unseen {
    UnseenWaits::Window window;
    std::uint32_t row = 0;
    std::uint32_t group = 0;
  };

  void addStream(const StreamTable& table, const ArrivalTable::Stream* stream);
  void addUnseen(const UnseenWaits& waits, std::vector<Unseen>& unseen,
                 CallTotals& rank);
  void addSplit(const OperationSplit& split, Plan& plan, std::uint32_t rank);
  void addTotals(const Plan& plan, CallTotals& rank);
  std::optional<std::size_t> windowOf(const OperationSplit& split) const;
  Plan plan(const StreamTable& table, const v1::Call* call,
            const RowPlace& place,
            const std::vector<std::uint32_t>& group_indices);
  std::uint32_t rowFor(std::vector<std::string> keys);
  void addOperation(const AssembledOperation& op, Plan& plan, bool in_batch,
                    bool unseen);
  void addBandwidth(std::uint64_t completion_ns, const Plan& plan);

  const Peers* peers_;
  const Scope* scope_;
  const RowKeys keys_;
  PictureBuilder* pictures_ = nullptr;
  Report report_;
  std::vector<Samples> samples_;  // one per report_.rows
  absl::flat_hash_map<std::vector<std::string>, std::uint32_t> row_by_keys_;
};

}  // namespace traced
