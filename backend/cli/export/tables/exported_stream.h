// StreamExporter visits the operations of a stream with what tables need of
// each: its columns, and how its time splits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/operation_index.h"
#include "analysis/report/run_ready_times.h"
#include "analysis/time_split/time_split.h"
#include "cli/export/operation_columns.h"

namespace traced {

struct ExportedOperation {
  ExportedCall call;
  OperationSplit split;
  // The place of its group in the order of labels; what has no group comes
  // last.
  std::uint32_t group_place = 0;
  // With its number it identifies the operation on all ranks. Absent where that
  // is unknown.
  std::optional<OperationKey> key;

  std::uint32_t rank() const { return call.table.header.rank(); }
  // Returns the sort key: its number; rows without one come last.
  std::uint64_t seqPlace() const {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t seq = call.op.seq;
    return seq == 0 || seq > kMax ? ~std::uint64_t{0} : seq;
  }
  std::int64_t commonNsOf(Instant at) const {
    return call.clock.commonNs(at.ns());
  }
};

// Returns a number as a table keeps it.
std::int64_t storedNumber(const ExportNumber& number);

class StreamExporter {
 public:
  // `run` must outlive it.
  explicit StreamExporter(const RunReadyTimes& run);

  // `stream`: the index of the stream in the set.
  void forEach(std::size_t stream, const StreamTable& table,
               const std::function<void(const ExportedOperation&)>& visit);

 private:
  // As groupHashes() has them: those of a group are found once for all ranks.
  std::vector<std::uint64_t> hashesOf(const StreamTable& table,
                                      const std::vector<std::uint32_t>& groups);

  const RunReadyTimes& run_;
  // Of each group of the job: its place in the order of labels.
  std::vector<std::uint32_t> places_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> hash_of_group_;
};

}  // namespace traced
