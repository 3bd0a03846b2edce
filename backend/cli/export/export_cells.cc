#include "cli/export/export_cells.h"

#include <algorithm>

namespace traced {

ExportCells::ExportCells() {
  const absl::Span<const ExportColumn> columns = exportColumns();
  for (auto from = columns.begin(); from != columns.end();) {
    const auto to = std::find_if(from, columns.end(), [&](const auto& column) {
      return column.told_by != from->told_by;
    });
    runs_.push_back(
        {from->told_by, {from, static_cast<std::size_t>(to - from)}, {}, {}});
    from = to;
  }
}

std::uint32_t idOfTeller(ToldBy told_by, const ExportedCall& call) {
  switch (told_by) {
    case ToldBy::kCall:
      return call.op.call;
    case ToldBy::kContext:
      return call.op.context;
    case ToldBy::kStack:
      return call.op.stack;
    case ToldBy::kThread:
      return call.op.thread;
    case ToldBy::kState:
      return static_cast<std::uint32_t>(call.op.state());
    case ToldBy::kEndSource:
      return static_cast<std::uint32_t>(call.op.end_source);
    case ToldBy::kError:
      return call.op.error;
    case ToldBy::kAlgorithm:
      return call.op.algorithm;
    case ToldBy::kProtocol:
      return call.op.protocol;
    case ToldBy::kStream:
    case ToldBy::kOperation:
      break;
  }
  return 0;
}

}  // namespace traced
