// Matches operations of different ranks that are one operation of the job.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "analysis/job/run_filters.h"
#include "analysis/match/loaded_run.h"
#include "analysis/match/match_entry.h"

namespace traced {

// Collectives match by group and sequence number. Sends and receives match by
// group, ordered pair and number of the message (MessagePairing). Coalesced
// batches match by their first collective. An operation without a known number
// has a row of its own, and so has a batch of sends and receives. A rank has at
// most one cell in a row.
struct MatchRow {
  std::uint32_t group = GroupCatalog::kNone;
  // Number of groups of one role in this row (row_groups.h). `group` is one of
  // them.
  std::uint32_t groups = 1;
  // Source and destination as global ranks. Absent for collectives, and if the
  // source is unknown.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair;
  // For a message, the sender's number. 0 if unknown.
  std::uint64_t seq = 0;
  // On the common time line.
  std::int64_t first_issue_ns = 0;
  std::int64_t last_issue_ns = 0;
  // The coalesced batch that this row is or belongs to: a number within this
  // table, or 0 if none. `members` is the number of rows in a batch, set on the
  // row of the batch.
  std::uint32_t batch = 0;
  bool ends_batch = false;
  std::uint32_t members = 0;
  // Sort key on the time line. Equal for a batch and its members.
  std::int64_t order_ns = 0;
  std::size_t first_cell = 0;
  std::size_t cell_count = 0;
  // No operation outside memory can be part of this row.
  bool whole = true;
};

struct MatchTable {
  // Ordered by first issue. A batch is directly before its members, at the time
  // of the first member.
  std::vector<MatchRow> rows;
  std::vector<MatchCell> cells;
  // Number of operations of the selected ranks and groups that the scope left
  // out.
  std::uint64_t out_of_scope = 0;
  // Number of operations that the window left out.
  std::uint64_t out_of_window = 0;

  absl::Span<const MatchCell> cellsOf(const MatchRow& row) const {
    return absl::MakeSpan(cells).subspan(row.first_cell, row.cell_count);
  }
};

// Selects what to match. An empty set does not filter.
struct MatchFilter {
  absl::flat_hash_set<std::uint32_t> ranks;
  // Labels of groups.
  absl::flat_hash_set<std::string> groups;
  // Names of operations. A row remains if one of its cells has one of these
  // names.
  absl::flat_hash_set<std::string> ops;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
  // When the first rank of the whole run started to record, on the common time
  // line. Needed if only a part of the run is passed.
  std::optional<std::int64_t> first_start_ns;
  // The nodes of ranks. Not needed for ReportedScope::kAll.
  const NodeIndex* nodes = nullptr;
  // The operations that are not in the passed run. nullptr if all are.
  const NotKept* not_kept = nullptr;

  bool passesRank(std::uint32_t rank) const {
    return ranks.empty() || ranks.contains(rank);
  }
  bool passesGroup(const std::string& label) const {
    return groups.empty() || groups.contains(label);
  }
};

// Matches the operations of a run. Every operation that passes the filter is in
// exactly one row.
MatchTable matchOperations(const LoadedRun& run, const MatchFilter& filter);

// Returns the name of a stream's operation.
std::string operationName(const StreamTable& table,
                          const AssembledOperation& operation);

}  // namespace traced
