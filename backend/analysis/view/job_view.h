// JobView is a part of a run as whoever writes it down for another tool wants
// it: the operations of some ranks, side by side, with all that is known of
// each. What a format needs is one walk over it.

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
#include "analysis/time_split/time_split.h"
#include "analysis/view/rank_choice.h"
#include "analysis/view/run_overview.h"

namespace traced {

// What is to be seen. Empty sets let everything pass.
struct ViewSelection {
  absl::flat_hash_set<std::uint32_t> ranks;
  // Labels.
  absl::flat_hash_set<std::string> groups;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
  // Only what had not ended so long before the end of the run.
  std::optional<std::int64_t> last_ns;
  // What whoever reads it can take: where there are more, some ranks are
  // chosen, unless `ranks` are given, and of these the latest operations.
  std::uint64_t most_operations = 0;
};

struct LeftOutOfView {
  // Of ranks that are not there.
  std::uint64_t ranks = 0;
  std::uint64_t of_ranks = 0;
  std::uint64_t of_scope = 0;
  std::uint64_t of_groups = 0;
  // Of the window, and of `last_ns`.
  std::uint64_t of_window = 0;
  // Of `most_operations`.
  std::uint64_t too_many = 0;
};

class JobView {
 public:
  JobView(const TraceSet& set, RunOverview overview,
          const ViewSelection& selection);
  JobView(const JobView&) = delete;
  JobView& operator=(const JobView&) = delete;

  const TraceSet& set() const { return set_; }
  const RunOverview& overview() const { return overview_; }
  // The ranks that are there, with all that they recorded.
  const LoadedRun& run() const { return run_; }
  // Why each of the streams is there.
  const std::vector<ChosenRank>& chosen() const { return chosen_; }
  // What was selected of them: every operation is in one row.
  const MatchTable& matched() const { return matched_; }
  const LeftOutOfView& leftOut() const { return left_out_; }
  // Of the whole run, which is read for it when it is first asked for.
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
  // Who came last to a collective, where that is certain of all its ranks, also
  // of those that are not there.
  struct Latest {
    std::uint32_t rank = 0;
    // When the last but one was ready, and the last, on the common time line.
    std::int64_t before_ns = 0;
    std::int64_t ready_ns = 0;
    // How far that can be off.
    std::uint64_t within_ns = 0;
  };
  std::optional<Latest> latestOf(const MatchRow& row) const;
  // The same number for all ranks that have a part in a row, the correlation id
  // where there is one; absent of what stands alone.
  std::optional<std::uint64_t> correlationOf(const MatchRow& row) const;

  // An instant of a stream on the common time line.
  std::int64_t commonOf(std::uint32_t stream, Instant at) const {
    return commonNs(run_.streams[stream].clock, at.ns());
  }
  // By the wall clock of the first rank's host, since 1970.
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
  std::vector<ReadyTable::Stream> arriving_;
  std::vector<ReadyRows> ready_times_;
  std::vector<std::vector<std::uint64_t>> group_hashes_;
  MatchTable matched_;
  LeftOutOfView left_out_;
};

}  // namespace traced
