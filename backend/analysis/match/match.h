// Matching: which operations of different ranks are one operation of the job.

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

// Collectives match by group and sequence number; sends and receives by group,
// ordered pair and the number of the message (MessagePairing); coalesced
// batches by their first collective. An operation whose number is not known has
// a row of its own, and so has a batch of sends and receives. A rank has at
// most one cell in a row.
struct MatchRow {
  std::uint32_t group = GroupCatalog::kNone;
  // Of how many groups of one role it is (row_groups.h); `group` is one of
  // them.
  std::uint32_t groups = 1;
  // Source and destination, global ranks; absent for collectives, and where the
  // source is not known.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair;
  // Of a message, as its sender counts. 0: not known.
  std::uint64_t seq = 0;
  // On the common time line.
  std::int64_t first_issue_ns = 0;
  std::int64_t last_issue_ns = 0;
  // The coalesced batch that it is, or is a member of: a number of this table,
  // 0 for none. `members`: of a batch, how many rows are its.
  std::uint32_t batch = 0;
  bool ends_batch = false;
  std::uint32_t members = 0;
  // Where it stands on the time line: a batch and its members together.
  std::int64_t order_ns = 0;
  std::size_t first_cell = 0;
  std::size_t cell_count = 0;
  // No operation that was not kept can be a part of it.
  bool whole = true;
};

struct MatchTable {
  // By first issue; a batch, and then its members, by that of the first member.
  std::vector<MatchRow> rows;
  std::vector<MatchCell> cells;
  // Operations of the ranks and groups in question that the scope left out.
  std::uint64_t out_of_scope = 0;
  // Those that the window left out.
  std::uint64_t out_of_window = 0;

  absl::Span<const MatchCell> cellsOf(const MatchRow& row) const {
    return absl::MakeSpan(cells).subspan(row.first_cell, row.cell_count);
  }
};

// What to match; an empty set lets everything pass.
struct MatchFilter {
  absl::flat_hash_set<std::uint32_t> ranks;
  // Labels of groups.
  absl::flat_hash_set<std::string> groups;
  // Names of operations: a row stays when one of its cells has one of them.
  absl::flat_hash_set<std::string> ops;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
  // When the first rank of all began to record, on the common time line, where
  // the run that is given is not all of them.
  std::optional<std::int64_t> first_start_ns;
  // Where ranks ran; not needed for all of them.
  const NodeIndex* nodes = nullptr;
  // What is not in the run that is given; none: all is in it.
  const NotKept* not_kept = nullptr;

  bool passesRank(std::uint32_t rank) const {
    return ranks.empty() || ranks.contains(rank);
  }
  bool passesGroup(const std::string& label) const {
    return groups.empty() || groups.contains(label);
  }
};

// Every operation that passes the filter is in exactly one row.
MatchTable matchOperations(const LoadedRun& run, const MatchFilter& filter);

// The name of an operation of a stream.
std::string operationName(const StreamTable& table,
                          const AssembledOperation& operation);

}  // namespace traced
