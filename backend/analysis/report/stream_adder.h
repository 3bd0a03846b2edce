// Adds one stream to the sums of a report.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/job/held_time.h"
#include "analysis/report/report_sums.h"
#include "analysis/stream/batches.h"

namespace traced {

class ReportSums::StreamAdder {
 public:
  StreamAdder(ReportSums& sums, const ReportedStream& stream,
              PictureBuilder* pictures);

  void addAll();

 private:
  // What all operations of one call, at one place, have in common.
  struct Part {
    Row* row = nullptr;
    std::uint32_t group = GroupCatalog::kNone;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    bool captured = false;
    CallSize size;
    std::size_t size_number = 0;  // in the samples of the row
    CallTotals totals;
    // How late the rank was in this row, once it is known to have been there.
    Lateness* lateness = nullptr;
  };

  // An operation whose wait was not seen, and what it is part of.
  struct Unseen {
    UnseenWaits::Window window;
    Row* row = nullptr;
    std::uint32_t group = 0;
  };

  void add(std::size_t operation, const v1::Call* call);
  Part& partOf(std::size_t operation, const v1::Call* call);
  Part makePart(std::size_t operation, const v1::Call* call,
                const RowContext& place);
  void addSplit(const OperationSplit& split, Part& part);
  void addReady(std::size_t operation, const OperationSplit& split, Part& part);
  void addParent(const AssembledOperation& op, Part& part);
  void addStates(std::size_t operation, const OperationSplit& split);
  std::optional<std::size_t> windowOf(const OperationSplit& split) const;
  void addTotals(const Part& part, CallTotals& rank);
  void addUnseen(CallTotals& rank);

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
  // Of each call that of its latest operation, which mostly serves the next.
  struct Newest {
    RowContext place;
    Part* part = nullptr;
  };
  std::vector<Newest> newest_of_call_;
  Newest without_call_;
  std::vector<Unseen> unseen_;
  const bool by_parent_;
  // Numbers of parents that a row has.
  absl::flat_hash_set<std::pair<const Row*, std::uint64_t>> parents_;
  const HeldTime held_;
  const TimeWindow span_;
  // What StateTimes adds up.
  CoveredTime waiting_low_, waiting_, waiting_high_, transfer_, exposed_;
};

}  // namespace traced
