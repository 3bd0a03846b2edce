#include "absl/strings/str_cat.h"
#include "cli/show/show_output.h"

namespace traced {

std::vector<OperationValues> valuesOf(const LoadedRun& run) {
  std::vector<OperationValues> values;
  for (const LoadedRun::Stream& stream : run.streams) {
    values.push_back(operationValues(stream.table));
  }
  return values;
}

std::string valuesText(const ShowContext& context, const MatchRow& row,
                       const absl::btree_set<std::uint32_t>& streams) {
  std::string lines;
  for (const MatchCell& cell : context.table.cellsOf(row)) {
    const ValuesOfOperation* values = context.valuesOf(cell);
    if (!values || !streams.contains(cell.stream)) continue;
    const std::string inputs = values->inputs.text();
    const std::string outputs = values->outputs.text();
    if (inputs.empty() && outputs.empty()) continue;
    absl::StrAppend(&lines, "   rank ",
                    context.run.streams[cell.stream].table.header.rank(),
                    inputs.empty() ? "" : "  input ", inputs,
                    outputs.empty() ? "" : "  output ", outputs, "\n");
  }
  return lines;
}

}  // namespace traced
