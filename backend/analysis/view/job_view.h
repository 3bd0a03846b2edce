// JobView is the part of a run that an exporter writes: the operations of some
// ranks side by side, with everything known of each. A format needs a single
// pass over it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/diagnosis/diagnosis.h"
#include "analysis/job/run_filters.h"
#include "analysis/match/match.h"
#include "analysis/time_split/rank_time.h"
#include "analysis/time_split/time_split.h"
#include "analysis/view/rank_choice.h"
#include "analysis/view/run_overview.h"

namespace traced {

// The operations to include. Empty sets include everything.
struct ViewSelection {
  absl::flat_hash_set<std::uint32_t> ranks;
  // Labels of groups.
  absl::flat_hash_set<std::string> groups;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
  // Only operations that had not ended this long before the end of the run.
  std::optional<std::int64_t> last_ns;
  // Maximum number of operations for the receiving tool; 0: unlimited. If
  // exceeded, some ranks are chosen, unless `ranks` is given, and the latest
  // operations are kept.
  std::uint64_t most_operations = 0;
};

struct ExcludedOperations {
  // Excluded ranks and their operations.
  std::uint64_t ranks = 0;
  std::uint64_t of_ranks = 0;
  std::uint64_t of_scope = 0;
  std::uint64_t of_groups = 0;
  // Excluded by the window or by `last_ns`.
  std::uint64_t of_window = 0;
  // Excluded by `most_operations`.
  std::uint64_t too_many = 0;
};

class JobView {
 public:
  // Reads the selected part of the run. `set` must outlive this object.
  JobView(const TraceSet& set, RunOverview overview,
          const ViewSelection& selection);
  JobView(const JobView&) = delete;
  JobView& operator=(const JobView&) = delete;

  const TraceSet& set() const { return set_; }
  const RunOverview& overview() const { return overview_; }
  // The included ranks with their complete recordings.
  const LoadedRun& run() const { return run_; }
  // Why each stream was included.
  const std::vector<ChosenRank>& chosen() const { return chosen_; }
  // The selected operations: each is in one row.
  const MatchTable& matched() const { return matched_; }
  const ExcludedOperations& leftOut() const { return left_out_; }
  // Diagnosis of the whole run. The first call reads the run. Not thread safe.
  const Diagnosis& diagnosis() const;

  const StreamTable& tableOf(const MatchCell& cell) const {
    return run_.streams[cell.stream].table;
  }
  const AssembledOperation& operationOf(const MatchCell& cell) const {
    return tableOf(cell).operations[cell.operation];
  }
  const v1::Call* callOf(const MatchCell& cell) const {
    return tableOf(cell).callOf(operationOf(cell));
  }
  OperationSplit splitOf(const MatchCell& cell) const;
  // Returns the time of a rank, with all operations of its recording.
  RankTime timeOf(std::uint32_t stream) const {
    return rankTimeOf(ready_times_[stream]);
  }
  // The rank that was ready last for a collective, if certain among all its
  // ranks, including those not in the view.
  struct Latest {
    std::uint32_t rank = 0;
    // When the second last and the last rank were ready, in common time.
    std::int64_t before_ns = 0;
    std::int64_t ready_ns = 0;
    // Maximum error of the difference.
    std::uint64_t within_ns = 0;
  };
  std::optional<Latest> latestOf(const MatchRow& row) const;
  // Returns the correlation id of a row, equal for all its ranks. Rows from
  // dumps have none and get a number that is unique within the run. Returns
  // nullopt for operations without a match.
  std::optional<std::uint64_t> correlationOf(const MatchRow& row) const;

  // Converts an instant of a stream to common time.
  std::int64_t commonOf(std::uint32_t stream, Instant at) const {
    return commonNs(run_.streams[stream].clock, at.ns());
  }
  // Returns nanoseconds since 1970 by the wall clock of the first rank's host.
  std::int64_t wallNsOf(std::uint32_t stream, Instant at) const;

 private:
  std::vector<ChosenRank> choose(const ViewSelection& selection) const;
  void match(const ViewSelection& selection);
  void keepLast(std::int64_t last_ns);
  void keepMost(std::uint64_t most);

  const TraceSet& set_;
  RunOverview overview_;
  mutable std::optional<Diagnosis> diagnosis_;
  std::vector<ChosenRank> chosen_;
  LoadedRun run_;
  // One per stream of the run.
  std::vector<ReadyTable::Stream> ready_streams_;
  std::vector<ReadyRows> ready_times_;
  std::vector<std::vector<std::uint64_t>> group_hashes_;
  MatchTable matched_;
  ExcludedOperations left_out_;
};

}  // namespace traced
