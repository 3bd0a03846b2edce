#include "analysis/match/match.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "analysis/match/message_pairing.h"
#include "analysis/match/row_groups.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/clock_models.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Returns an entry per operation that passes the filter. Counts in
// `out_of_scope` what only the scope excludes.
std::vector<MatchEntry> collect(const LoadedRun& run, const MatchFilter& filter,
                                std::uint64_t& out_of_scope) {
  std::vector<MatchEntry> entries;
  const MessagePairing pairing(run);
  for (std::uint32_t i = 0; i < run.streams.size(); ++i) {
    const LoadedRun::Stream& stream = run.streams[i];
    const std::uint32_t rank = stream.table.header.rank();
    if (!filter.passesRank(rank)) continue;
    const Batches batches(stream.table);
    std::optional<ScopeFilter> scope;
    if (filter.nodes) scope.emplace(filter.scope, *filter.nodes, stream.table);
    const std::vector<AssembledOperation>& ops = stream.table.operations;
    for (std::uint32_t j = 0; j < ops.size(); ++j) {
      MatchEntry entry = matchEntryOf(run, stream, batches, ops[j],
                                      pairing.messageOf(i, j, ops[j].seq));
      if (!filter.passesGroup(run.groups.label(entry.group))) continue;
      if (scope && !scope->holds(ops[j])) {
        ++out_of_scope;
        continue;
      }
      entry.cell = {i, j};
      entries.push_back(entry);
    }
  }
  return entries;
}

void sortEntries(std::vector<MatchEntry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const MatchEntry& a, const MatchEntry& b) {
              return std::tuple(a.key(), a.repeat, a.cell.stream, a.issue_ns,
                                a.cell.operation) <
                     std::tuple(b.key(), b.repeat, b.cell.stream, b.issue_ns,
                                b.cell.operation);
            });
}

// Adds a row for each repeated use of a number by a rank.
void numberRepeats(std::vector<MatchEntry>& entries) {
  bool any = false;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const MatchEntry& before = entries[i - 1];
    if (before.key() != entries[i].key()) continue;
    if (before.cell.stream != entries[i].cell.stream) continue;
    entries[i].repeat = before.repeat + 1;
    any = true;
  }
  if (any) sortEntries(entries);
}

MatchRow startRow(const MatchEntry& entry, std::size_t first_cell) {
  MatchRow row;
  row.group = entry.group;
  if (entry.source != MatchEntry::kNoRank &&
      entry.destination != MatchEntry::kNoRank) {
    row.pair = {static_cast<std::uint32_t>(entry.source),
                static_cast<std::uint32_t>(entry.destination)};
  }
  // Batches match by the number of a member, which is not their own.
  row.seq = entry.kind == MatchKind::kBatch ? 0 : entry.seq;
  row.first_issue_ns = row.last_issue_ns = entry.issue_ns;
  row.first_cell = first_cell;
  return row;
}

std::int64_t firstStartNs(const LoadedRun& run) {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const LoadedRun::Stream& stream : run.streams) {
    const std::int64_t ns = stream.table.header.started().monotonic_ns();
    first_ns = std::min(first_ns, commonNs(stream.clock, ns));
  }
  return first_ns;
}

bool hasOperation(const LoadedRun& run, absl::Span<const MatchCell> cells,
                  const absl::flat_hash_set<std::string>& names) {
  return std::any_of(cells.begin(), cells.end(), [&](const MatchCell& cell) {
    const StreamTable& table = run.streams[cell.stream].table;
    return names.contains(
        operationName(table, table.operations[cell.operation]));
  });
}

// Keeps only rows in which some rank issued its part within the window.
void keepWindow(const LoadedRun& run, const MatchFilter& wanted,
                MatchTable& table) {
  const RunWindow& window = wanted.window;
  if (window.all()) return;
  const std::int64_t first_ns =
      wanted.first_start_ns ? *wanted.first_start_ns : firstStartNs(run);
  std::vector<WindowFilter> filters;
  for (const LoadedRun::Stream& stream : run.streams) {
    filters.emplace_back(window, stream.table, stream.clock, first_ns);
  }
  std::erase_if(table.rows, [&](const MatchRow& row) {
    const auto cells = table.cellsOf(row);
    const bool outside =
        std::none_of(cells.begin(), cells.end(), [&](const MatchCell& cell) {
          const StreamTable& stream = run.streams[cell.stream].table;
          return filters[cell.stream].holds(stream.operations[cell.operation]);
        });
    if (outside) table.out_of_window += cells.size();
    return outside;
  });
}

}  // namespace

MatchTable matchOperations(const LoadedRun& run, const MatchFilter& filter) {
  MatchTable table;
  std::vector<MatchEntry> entries = collect(run, filter, table.out_of_scope);
  sortEntries(entries);
  numberRepeats(entries);

  table.cells.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const MatchEntry& entry = entries[i];
    const bool same = i > 0 && entries[i - 1].key() == entry.key() &&
                      entries[i - 1].repeat == entry.repeat;
    if (!same) {
      table.rows.push_back(startRow(entry, table.cells.size()));
      table.rows.back().whole =
          !filter.not_kept || !filter.not_kept->mayShareRow(entry);
    }
    MatchRow& row = table.rows.back();
    row.first_issue_ns = std::min(row.first_issue_ns, entry.issue_ns);
    row.last_issue_ns = std::max(row.last_issue_ns, entry.issue_ns);
    ++row.cell_count;
    table.cells.push_back(entry.cell);
  }
  linkBatches(run, table);
  if (!filter.ops.empty()) {
    std::erase_if(table.rows, [&](const MatchRow& row) {
      return !hasOperation(run, table.cellsOf(row), filter.ops);
    });
  }
  keepWindow(run, filter, table);
  sortRows(table);
  return table;
}

std::string operationName(const StreamTable& table,
                          const AssembledOperation& operation) {
  const v1::Call* call = table.callOf(operation);
  return call ? nameOf(call->op()) : kUnknownOperation;
}

}  // namespace traced
