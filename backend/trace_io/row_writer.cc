#include "trace_io/row_writer.h"

#include "trace_io/latest_instants.h"
#include "trace_io/row_readers.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

using Signed = google::protobuf::RepeatedField<std::int64_t>;

void toDifferences(Signed& cells, std::int64_t start) {
  std::int64_t last = start;
  for (std::int64_t& cell : cells) {
    const std::int64_t value = cell;
    cell = wrappingDifference(value, last);
    last = value;
  }
}

// Replaces `cell` by its difference from `last`, and `last` by the value of the
// cell.
void toDifference(std::int64_t& cell, std::int64_t& last) {
  const std::int64_t value = cell;
  cell = wrappingDifference(value, last);
  last = value;
}

// Returns the time between a row's instant and its last instant.
std::int64_t lengthOf(const v1::WaitRows& table, int row) {
  const bool is_empty = table.wait_ns().empty();
  return is_empty ? 0 : static_cast<std::int64_t>(table.wait_ns(row));
}
template <typename Message>
std::int64_t lengthOf(const Message&, int) {
  return 0;
}

template <typename Row, typename Which>
void finishColumn(typename RowTable<Row>::Message& table,
                  std::int64_t anchor_ns, LatestInstants& latest) {
  const Signed& ids = FirstColumn<Row>::of(table);
  const auto idOf = [&](int i) {
    return static_cast<std::uint64_t>(ids.Get(i));
  };
  auto& cells = Which::of(table);
  if constexpr (Which::kCell == CellKind::kAfterRow) {
    if constexpr (std::is_same_v<Row, IssueRow>) {
      for (int i = 0; i < ids.size(); ++i) latest.issue(idOf(i), cells.Get(i));
    }
    toDifferences(cells, anchor_ns);
  } else if constexpr (Which::kCell == CellKind::kAfterOperation) {
    for (int i = 0; i < ids.size(); ++i) {
      std::int64_t& last = latest.of(idOf(i));
      toDifference(cells.at(i), last);
      last = wrappingSum(last, lengthOf(table, i));
    }
  } else if constexpr (Which::kCell == CellKind::kAfterCall) {
    detail::LastSeqs seqs;
    for (int i = 0; i < cells.size(); ++i) {
      const std::uint32_t call = table.call().empty() ? 0 : table.call(i);
      toDifference(cells.at(i), seqs.of(call));
    }
  }
}

}  // namespace

void finishRows(v1::Payload& payload) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  LatestInstants latest(anchor_ns, payload.issued().op_delta_size());
  forEachType(AllRows(), [&]<typename Row>() {
    if (!RowTable<Row>::isIn(payload)) return;
    auto& table = RowTable<Row>::of(payload);
    forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
      finishColumn<Row, Which>(table, anchor_ns, latest);
    });
    toDifferences(FirstColumn<Row>::of(table), 0);
  });
}

}  // namespace traced
