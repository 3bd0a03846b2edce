// StreamExporter visits the operations of a stream with the inputs of all
// tables: column values and the split of each operation's time.

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
#include "analysis/time_split/rank_time.h"
#include "analysis/time_split/time_split.h"
#include "cli/export/operation_columns.h"

namespace traced {

struct ExportedOperation {
  ExportedCall call;
  OperationSplit split;
  // Position of its group in the order of labels. Operations without a group
  // sort last.
  std::uint32_t group_place = 0;
  // Identifies the operation on all ranks, together with its number. Absent if
  // unknown.
  std::optional<OperationKey> key;

  std::uint32_t rank() const { return call.table.header.rank(); }
  // Returns the number of the operation as a sort key. Rows without a number
  // sort last.
  std::uint64_t seqPlace() const {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t seq = call.op.seq;
    return seq == 0 || seq > kMax ? ~std::uint64_t{0} : seq;
  }
  // Converts an instant of the rank to the common time line, in nanoseconds.
  std::int64_t commonNsOf(Instant at) const {
    return call.clock.commonNs(at.ns());
  }
};

// Returns a number in the form in which tables store it.
std::int64_t storedNumber(const ExportNumber& number);

class StreamExporter {
 public:
  // `run` must outlive it.
  explicit StreamExporter(const RunReadyTimes& run);

  // Calls visit() with each operation, and returns the finished time of the
  // rank. `stream` is the index of the stream in the set.
  RankTime forEach(std::size_t stream, const StreamTable& table,
                   const std::function<void(const ExportedOperation&)>& visit);

 private:
  // Returns the group hashes of a stream, as groupHashes() does. Computes the
  // hash of a group once for all ranks.
  std::vector<std::uint64_t> hashesOf(const StreamTable& table,
                                      const std::vector<std::uint32_t>& groups);

  const RunReadyTimes& run_;
  // For each group of the job, its position in the order of labels.
  std::vector<std::uint32_t> order_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> hash_of_group_;
};

}  // namespace traced
