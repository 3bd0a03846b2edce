#include <algorithm>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/clock_models.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/common/table.h"
#include "cli/show/show_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Column index by stream, in the order of the ranks.
using Columns = absl::btree_map<std::uint32_t, std::size_t>;

Columns columnsFor(const absl::btree_set<std::uint32_t>& streams) {
  Columns columns;
  for (const std::uint32_t stream : streams) {
    columns.emplace(stream, columns.size());
  }
  return columns;
}

std::string what(const ShowContext& context, const MatchRow& row) {
  const MatchCell& cell = context.table.cellsOf(row).front();
  const StreamTable& table = context.run.streams[cell.stream].table;
  return operationName(table, table.operations[cell.operation]);
}

// Returns the context in which the call of a cell, or of a row's first rank,
// was issued; nullptr if unknown.
const v1::Context* placeOf(const ShowContext& context, const MatchCell& cell) {
  const StreamTable& table = context.run.streams[cell.stream].table;
  return table.contextOf(table.operations[cell.operation]);
}
const v1::Context* placeOf(const ShowContext& context, const MatchRow& row) {
  return placeOf(context, context.table.cellsOf(row).front());
}

// Returns the id of the torch.distributed call that a row belongs to; 0 for
// none.
std::uint64_t parentOf(const ShowContext& context, const MatchRow& row) {
  const v1::Context* place = placeOf(context, row);
  return place && !place->parent().empty() ? place->parent_number() : 0;
}

// Returns "RING LL128" as reported by the first rank's library; "" if unknown.
std::string methodText(const ShowContext& context, const MatchRow& row) {
  const MatchCell& cell = context.table.cellsOf(row).front();
  const StreamTable& table = context.run.streams[cell.stream].table;
  const AssembledOperation& op = table.operations[cell.operation];
  std::string algorithm = table.methodText(op.algorithm);
  const std::string protocol = table.methodText(op.protocol);
  if (algorithm == protocol) return algorithm;
  return absl::StrCat(algorithm, " ", protocol);
}

// Returns "all_reduce", or "coalesced (3)" for a batch. Members of a batch are
// indented.
std::string operationText(const ShowContext& context, const MatchRow& row) {
  std::string name = what(context, row);
  const std::string method = methodText(context, row);
  if (!method.empty()) absl::StrAppend(&name, " ", printable(method));
  if (row.ends_batch) return absl::StrCat(name, " (", row.members, ")");
  const bool is_part = row.batch > 0 || parentOf(context, row) > 0;
  return is_part ? absl::StrCat("  ", name) : name;
}

// Returns the group; "tp (64 groups of 8)" for a row that covers several
// groups.
std::string groupText(const ShowContext& context, const MatchRow& row) {
  if (row.groups < 2) return printable(context.run.groups.label(row.group));
  const JobGroup& group = context.run.groups.groups()[row.group];
  return groupsText(printable(givenLabel(group)), row.groups,
                    group.members.size());
}

std::string numberText(const MatchRow& row) {
  std::string text;
  if (row.pair) {
    absl::StrAppend(&text, row.pair->first, ">", row.pair->second, " ");
  }
  return row.seq > 0 ? absl::StrCat(text, "#", row.seq) : text + "-";
}

// Returns the mark for an end time that is an upper bound; "" for an observed
// end.
const char* lateMark(v1::EndSource source) {
  if (source == v1::END_SOURCE_WAIT) return "w";
  return source == v1::END_SOURCE_COMPLETION_HOOK ? "h" : "";
}

// Returns the row above a parent's first row: what each rank passed to it.
std::vector<std::string> parentCells(const ShowContext& context,
                                     const MatchRow& row,
                                     const Columns& columns) {
  std::vector<std::string> cells(4 + columns.size(), "-");
  cells[0] = cells[2] = "";
  cells[1] = printable(context.run.groups.label(row.group));
  cells[3] = printable(placeOf(context, row)->parent());
  for (const MatchCell& cell : context.table.cellsOf(row)) {
    const auto column = columns.find(cell.stream);
    const v1::Context* place = placeOf(context, cell);
    if (column == columns.end() || !place || !place->has_parent_bytes()) {
      continue;
    }
    cells[4 + column->second] =
        absl::StrCat(bytesText(place->parent_bytes()), " put in");
  }
  return cells;
}

// Returns a cell, "+0.120 3.91": the delay of the issue after the first rank's,
// then the time to the end, in milliseconds.
std::string cellText(const ShowContext& context, const MatchRow& row,
                     const MatchCell& cell) {
  const LoadedRun::Stream& stream = context.run.streams[cell.stream];
  const AssembledOperation& op = stream.table.operations[cell.operation];
  const std::int64_t issue_ns = commonNs(stream.clock, op.issued.ns());
  std::string text = absl::StrCat(
      "+", millisecondsText(static_cast<double>(issue_ns - row.first_issue_ns)),
      " ");
  const std::string name = operationName(stream.table, op);
  if (name != what(context, row)) absl::StrAppend(&text, name, " ");
  const auto completion_ns = between(op.issued, op.ended);
  if (stream.table.isSimulated(op)) return text + "simulated";
  const v1::Call* call = stream.table.callOf(op);
  if (call && call->graph_plus_1() > 0) return text + "captured";
  if (op.failed) return text + "FAILED";
  // Only the last member of a batch records an end.
  if (!completion_ns && row.batch > 0 && !row.ends_batch) {
    return text + "in batch";
  }
  if (!completion_ns) {
    return text + (stream.table.snapshot ? "no end seen" : "not ended");
  }
  absl::StrAppend(&text, millisecondsText(static_cast<double>(*completion_ns)),
                  lateMark(op.end_source));
  return text;
}

Table makeTable(const ShowContext& context, const Columns& columns) {
  Table table;
  table.addColumn("issued at\nms");
  table.addColumn("group", Table::Align::kLeft);
  table.addColumn("number");
  table.addColumn("operation", Table::Align::kLeft);
  for (const auto& [stream, column] : columns) {
    table.addColumn(
        absl::StrCat("rank ", context.run.streams[stream].table.header.rank(),
                     "\n+issue end"));
  }
  return table;
}

std::string legendText(const LoadedRun& run) {
  std::string text =
      " Of each rank, in ms: +issue after the first rank; then the end after "
      "the own issue, w: seen at wait only, h: by the backend's watchdog, both "
      "late bounds.\n";
  const auto placedBy = [&run](v1::ClockSource source) {
    return std::any_of(run.streams.begin(), run.streams.end(),
                       [source](const LoadedRun::Stream& stream) {
                         return stream.clock.source() == source;
                       });
  };
  if (placedBy(v1::CLOCK_SOURCE_COLLECTIVES)) {
    text += " The clocks of hosts are aligned by what operations prove.\n";
  }
  if (placedBy(v1::CLOCK_SOURCE_WALL_CLOCK)) {
    text +=
        " Hosts are placed by their wall clocks, whose error is not known.\n";
  }
  return text;
}

// Returns the cells of a row.
std::vector<std::string> cellsOf(const ShowContext& context,
                                 const MatchRow& row, const Columns& columns,
                                 std::int64_t origin_ns) {
  std::vector<std::string> cells(4 + columns.size(), "-");
  cells[0] = absl::StrFormat(
      "%.3f", static_cast<double>(row.first_issue_ns - origin_ns) / 1e6);
  cells[1] = groupText(context, row);
  cells[2] = numberText(row);
  cells[3] = operationText(context, row);
  for (const MatchCell& cell : context.table.cellsOf(row)) {
    const auto column = columns.find(cell.stream);
    if (column == columns.end()) continue;
    cells[4 + column->second] = cellText(context, row, cell);
  }
  return cells;
}

Table tableOf(const ShowContext& context, const ShownRows& shown,
              const absl::btree_set<std::uint32_t>& streams,
              std::size_t screen_columns) {
  const Columns columns = columnsFor(streams);
  Table table = makeTable(context, columns);
  const std::int64_t origin_ns = context.run.first_issue_ns.value_or(0);
  absl::flat_hash_set<std::pair<std::uint32_t, std::uint64_t>> parents;
  for (const MatchRow& row : shown.rows) {
    const std::uint64_t parent = parentOf(context, row);
    const std::uint32_t stream = context.table.cellsOf(row).front().stream;
    if (parent > 0 && parents.emplace(stream, parent).second) {
      table.addRow(parentCells(context, row, columns));
    }
    table.addRow(cellsOf(context, row, columns, origin_ns));
    const std::string difference = differenceText(context, row);
    if (!difference.empty()) {
      table.addNote(wrapped("   ", difference, screen_columns));
    }
    const std::string values = valuesText(context, row, streams);
    if (!values.empty()) table.addNote(wrappedLines(values, screen_columns));
  }
  return table;
}

std::string leftOutText(const ShownRows& shown) {
  if (shown.left_out == 0) return "";
  const std::string rows = shown.left_out ? countOf(*shown.left_out, "more row")
                                          : "Not all rows were counted";
  return absl::StrCat(" ", rows, "; --last and --limit choose others\n");
}

std::string headText(const ShowContext& context) {
  std::string text =
      headingText(context.title, context.set, context.run.summary);
  const std::string scope =
      scopeText(context.scope, context.table.out_of_scope);
  if (!scope.empty()) absl::StrAppend(&text, scope, "\n");
  const std::string window =
      windowText(context.window, context.table.out_of_window);
  if (!window.empty()) absl::StrAppend(&text, window, "\n");
  return text;
}

}  // namespace

std::size_t ranksThatFit(const ShowContext& context, const ShownRows& shown,
                         std::size_t max_ranks, std::size_t columns) {
  const absl::btree_set<std::uint32_t> streams =
      streamsShown(context, shown, max_ranks);
  std::vector<std::string> last_first;
  for (auto stream = streams.rbegin(); stream != streams.rend(); ++stream) {
    last_first.push_back(absl::StrCat(
        "rank ", context.run.streams[*stream].table.header.rank()));
  }
  if (last_first.empty()) return max_ranks;
  last_first.pop_back();
  Table table = tableOf(context, shown, streams, columns);
  return streams.size() - table.fit(columns, last_first).size();
}

void writeShowText(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown, std::size_t max_ranks,
                   std::size_t columns) {
  out << wrappedLines(headText(context), columns) << "\n";
  if (shown.rows.empty()) {
    out << "No operations to show.\n";
    writeEventsText(out, context);
    return;
  }
  const absl::btree_set<std::uint32_t> streams =
      streamsShown(context, shown, max_ranks);
  Table table = tableOf(context, shown, streams, columns);
  table.fit(columns, {});
  std::string legend = absl::StrCat(ranksNotShownText(context, shown, streams),
                                    legendText(context.run));
  const bool folded =
      std::any_of(shown.rows.begin(), shown.rows.end(),
                  [](const MatchRow& row) { return row.groups > 1; });
  if (folded) {
    legend +=
        " Groups that are called alike have one row where all their members "
        "called the same; --groups all shows each by itself.\n";
  }
  absl::StrAppend(&legend, leftOutText(shown));
  out << table.text() << wrappedLines(legend, columns);
  writeEventsText(out, context);
}

}  // namespace traced
