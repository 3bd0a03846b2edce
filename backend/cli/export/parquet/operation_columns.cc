#include "cli/export/parquet/operation_columns.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "cli/export/end_bounds.h"

namespace traced {
namespace {

using Row = const ExportedOperation&;

std::int64_t afterIssue(Row row, Instant at) {
  const auto ns = between(row.call.op.issued, at);
  return ns ? TableColumn::fitting(*ns) : kNoValue;
}

std::int64_t endBound(Row row) {
  const AssembledOperation& op = row.call.op;
  return op.ended.known() ? static_cast<std::int64_t>(endBoundOf(op))
                          : kNoValue;
}

constexpr OwnTableColumn kOwnColumns[] = {
    {"end_bound", endBound},
    {"ready_after_ns", [](Row r) { return afterIssue(r, r.ready); }},
    {"start_after_ns", [](Row r) { return afterIssue(r, r.call.op.started); }},
};

}  // namespace

const TableSpec& operationTable() {
  constexpr auto kText = ColumnKind::kText;
  constexpr auto kFlag = ColumnKind::kFlag;
  constexpr auto kNumber = ColumnKind::kNumber;
  static const TableSpec spec = {"operations",
                                 {{"rank", kNumber, true},
                                  {"op_id"},
                                  {"step", kNumber, true},
                                  {"group_label", kText},
                                  {"group_size", kNumber, true},
                                  {"op", kText},
                                  {"seq"},
                                  {"correlation_id", kNumber, true},
                                  {"batch"},
                                  {"dtype", kText},
                                  {"shapes_in", kText},
                                  {"shapes_out", kText},
                                  {"tensors_in", kNumber, true},
                                  {"tensors_out", kNumber, true},
                                  {"tensors_cut", kNumber, true},
                                  {"bytes_in", kNumber, true},
                                  {"bytes_out", kNumber, true},
                                  {"message_size", kNumber, true},
                                  {"in_place", kFlag},
                                  {"reduce_op", kText},
                                  {"root_global", kNumber, true},
                                  {"peer_global", kNumber, true},
                                  {"source_rank", kNumber, true},
                                  {"tag", kNumber, true},
                                  {"async", kFlag},
                                  {"timeout_ms", kNumber, true},
                                  {"device", kText},
                                  {"device_index", kNumber, true},
                                  {"thread", kNumber, true},
                                  {"thread_name", kText},
                                  {"issue_ns"},
                                  {"host_ns"},
                                  {"ready_after_ns"},
                                  {"start_after_ns"},
                                  {"completion_ns"},
                                  {"end_source", kText},
                                  {"end_bound", kText},
                                  {"state", kText},
                                  {"error", kText},
                                  {"simulated", kFlag},
                                  {"annotations", kText},
                                  {"module", kText},
                                  {"module_type", kText},
                                  {"phase", kText},
                                  {"parent", kText},
                                  {"parent_number", kNumber, true},
                                  {"parent_bytes", kNumber, true},
                                  {"site", kText},
                                  {"algorithm", kText},
                                  {"protocol", kText},
                                  {"channels", kNumber, true}},
                                 {"group_label", "seq", "rank"}};
  return spec;
}

const ExportColumn* exportColumn(std::string_view name) {
  // A word of SQL's is no name of a column there.
  if (name == "group_label") name = "group";
  const absl::Span<const ExportColumn> columns = exportColumns();
  const auto found =
      std::find_if(columns.begin(), columns.end(),
                   [&](const auto& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const OwnTableColumn* ownTableColumn(const char* name) {
  const auto* const found =
      std::find_if(std::begin(kOwnColumns), std::end(kOwnColumns),
                   [&](const OwnTableColumn& column) {
                     return std::string_view(column.name) == name;
                   });
  return found == std::end(kOwnColumns) ? nullptr : found;
}

std::int64_t tableNumber(const ExportNumber& number) {
  switch (number.kind) {
    case ExportNumber::Kind::kAbsent:
      return kNoValue;
    case ExportNumber::Kind::kCount:
      return TableColumn::fitting(number.value);
    case ExportNumber::Kind::kInstant:
    case ExportNumber::Kind::kId:
      break;
  }
  return static_cast<std::int64_t>(number.value);
}

std::int64_t tableValue(const ExportValue& value, TableColumn& column) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return column.numberOf(*text);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) {
    return TableColumn::fitting(*count);
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  return number ? *number : kNoValue;
}

void addEndBounds(TableColumn& column) {
  for (const EndBound bound :
       {EndBound::kExact, EndBound::kTold, EndBound::kSeen}) {
    column.numberOf(nameOf(bound));
  }
}

}  // namespace traced
