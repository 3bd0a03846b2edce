#include "cli/export/export_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/clocks/align_clocks.h"
#include "analysis/job/group_catalog.h"
#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

// Returns the selected calls of a rank, in the order of their issue. Counts the
// others in `left_out`.
std::vector<ExportedCall> callsOf(const StreamTable& table,
                                  const ScopeFilter& scope,
                                  const GroupCatalog& groups,
                                  const std::vector<std::uint32_t>& indices,
                                  const ClockCursor& clock,
                                  const WindowFilter& window,
                                  LeftOutOfExport& left_out) {
  const std::vector<std::uint64_t> hashes = groupHashes(table);
  std::vector<ExportedCall> calls;
  calls.reserve(table.operations.size());
  for (const AssembledOperation& op : table.operations) {
    if (!scope.holds(op)) {
      ++left_out.of_scope;
      continue;
    }
    if (!window.holds(op)) {
      ++left_out.of_window;
      continue;
    }
    calls.push_back(exportedCall(table, op, groups, indices, hashes, clock));
  }
  return calls;
}

constexpr RowFormat kRowFormats[] = {
    {"csv", "a row per operation, for tables", true, makeCsvWriter},
    {"jsonl", "the same, a JSON object per line", true, makeJsonlWriter},
    {"text", "the same, for reading and grep", false, makeTextWriter},
};

// Restores the order of issue.
void sortById(std::vector<AssembledOperation>& operations) {
  const auto isBefore = [](const AssembledOperation& a,
                           const AssembledOperation& b) { return a.id < b.id; };
  if (std::is_sorted(operations.begin(), operations.end(), isBefore)) return;
  std::sort(operations.begin(), operations.end(), isBefore);
}

}  // namespace

absl::Span<const RowFormat> rowFormats() { return kRowFormats; }

LeftOutOfExport writeExport(std::ostream& out, ExportWriter& writer,
                            const TraceSet& set,
                            const ExportSelection& selection,
                            RunSummary& summary) {
  const NodeIndex nodes(set);
  AlignedClocks clocks = alignClocks(set);
  summary.setClockWarnings(std::move(clocks.warnings));
  const std::int64_t first_ns = firstStartNs(set, clocks.models);
  LeftOutOfExport left_out;
  GroupCatalog groups;
  writer.begin(out, infosOf(exportColumns()));
  // While one stream is written, the next ones are loaded.
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    if (!out.good()) return;
    sortById(table.operations);
    const std::vector<std::uint32_t> indices =
        groups.add(table.header.attempt(), table.definitions.groups());
    summary.add(table);
    const ScopeFilter scope(selection.scope, nodes, table);
    const ClockCursor clock(clocks.models[i]);
    const WindowFilter window(selection.window, table, clock.model(), first_ns);
    const std::vector<ExportedCall> calls =
        callsOf(table, scope, groups, indices, clock, window, left_out);
    writer.addRank(out, table, calls);
  });
  return left_out;
}

}  // namespace traced
