#include <sstream>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "cli/common/part_options.h"
#include "cli/show/show_output.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

Json rowJson(const ShowContext& context, const MatchRow& row) {
  Json json = {{"group", context.run.groups.label(row.group)}};
  if (row.pair) json["pair"] = {row.pair->first, row.pair->second};
  if (row.seq > 0) json["seq"] = row.seq;
  const auto cells = context.table.cellsOf(row);
  const StreamTable& first = context.run.streams[cells[0].stream].table;
  json["op"] = operationName(first, first.operations[cells[0].operation]);
  json["first_issue_ns"] = row.first_issue_ns;
  if (row.batch > 0) json["batch"] = row.batch;
  if (row.ends_batch) json["members"] = row.members;
  Json& ranks = json["ranks"] = Json::object();
  for (const MatchCell& cell : cells) {
    const StreamTable& table = context.run.streams[cell.stream].table;
    ranks[absl::StrCat(table.header.rank())] = operationJson(
        table, table.operations[cell.operation], context.valuesOf(cell));
  }
  return json;
}

Json clocksJson(const LoadedRun& run) {
  Json clocks = Json::array();
  for (const LoadedRun::Stream& stream : run.streams) {
    clocks.push_back({{"rank", stream.table.header.rank()},
                      {"offset_ns", stream.clock.offset_ns()},
                      {"source", nameOf(stream.clock.source())}});
  }
  return clocks;
}

}  // namespace

void writeShowJson(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown) {
  Json frame = {{"schema", kJsonSchema},
                {"title", context.title},
                {"left_out", shown.left_out.value_or(0)},
                {"clocks", clocksJson(context.run)},
                {"marks", eventsJson(context)},
                {"simulated", context.run.summary.simulated()},
                {"switched_off", pausesJson(context.run.summary.pauses())},
                {"lost", lostJson(context.set, context.run.summary)},
                {"warnings", allWarnings(context.set, context.run.summary)},
                {"groups", groupsJson(context.run.groups)}};
  addLeftOut(frame, context.run.summary.leftOut());
  addFromRings(frame, context.run.summary);
  addScope(frame, context.scope, context.table.out_of_scope);
  addWindow(frame, context.window, context.table.out_of_window);
  std::ostringstream whole;
  writeJson(whole, frame, -1);
  const std::string text = whole.str();
  // The closing brace follows after the rows.
  out << text.substr(0, text.size() - 1) << ",\"rows\":[";
  const char* separator = "\n";
  for (const MatchRow& row : shown.rows) {
    out << separator;
    writeJson(out, rowJson(context, row), -1);
    separator = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace traced
