// StreamSums adds up the operations of one stream.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/compare/figure_sums.h"
#include "analysis/compare/stretches.h"
#include "analysis/compare/wait_ends.h"
#include "analysis/job/time_windows.h"
#include "analysis/report/row_samples.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

class StreamSums {
 public:
  // `groups`: catalog index of each of the stream's groups. `identities`:
  // identity of each group of the catalog (group_identity.h).
  StreamSums(const ReadyTable::Stream& stream, const ReadyTable& ready_times,
             const std::vector<std::uint32_t>& groups,
             const std::vector<std::string>& identities,
             const Stretches& stretches);

  struct Sums {
    FigureSums figures;
    // Number of failed operations in any step.
    std::uint64_t failed = 0;
  };
  Sums addAll() &&;

 private:
  void add(std::size_t i, const AssembledOperation& op, const v1::Call* call,
           std::uint32_t stretch);
  void addWait(std::uint32_t key, const TimeWindow& waiting,
               const OperationSplit& split);
  std::uint64_t bytesOfBatch(const AssembledOperation& op) const;
  // Returns nullopt beyond kMaxKeys.
  std::optional<std::uint32_t> keyOf(const AssembledOperation& op,
                                     const v1::Call* call,
                                     std::uint64_t batch_bytes);
  RunKey keyOf(const v1::Call& call, std::uint64_t batch_bytes) const;
  const std::string& siteOf(const AssembledOperation& op);

  const ReadyTable::Stream& stream_;
  const StreamTable& table_;
  const ReadyRows ready_times_;
  const std::vector<std::uint32_t>& groups_;
  const std::vector<std::string>& identities_;
  const Stretches& stretches_;
  const BatchSizes batches_;
  const WaitEnds wait_ends_;
  // Time that operations cover together, per stretch.
  struct Covered {
    CoveredTime own_call, wait_for_peers, transfer, exposed;
  };
  absl::flat_hash_map<std::uint32_t, Covered> covered_;
  // Time that this rank waited for another one, by key and other rank.
  static constexpr std::uint32_t kAllKeys = ~std::uint32_t{0};
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, CoveredTime>
      waited_for_;
  Sums sums_;
  // By call, and bytes of its batch.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>,
                      std::optional<std::uint32_t>>
      keys_;
  absl::flat_hash_map<std::uint32_t, std::string> sites_;
};

}  // namespace traced
