// Reads the rows of a payload from its columns. See row_tables.h and
// docs/reference/format.md, "Rows".

#pragma once

#include <cstdint>
#include <limits>

#include "trace_io/latest_instants.h"
#include "trace_io/row.h"
#include "trace_io/row_readers.h"
#include "trace_io/row_tables.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Returns whether every column is empty or as long as its table. If not, the
// payload's rows are unusable and must not be read.
bool columnsAgree(const v1::Payload& payload);

// Returns the number of rows in the payload. Requires columnsAgree().
std::uint64_t rowCount(const v1::Payload& payload);

namespace detail {

// A column parsed by protobuf.
template <typename T>
class RepeatedColumn {
 public:
  RepeatedColumn() = default;
  explicit RepeatedColumn(const google::protobuf::RepeatedField<T>& field)
      : field_(&field) {}
  bool empty() const { return field_->empty(); }
  int size() const { return field_->size(); }
  T next() { return field_->Get(next_++); }

 private:
  const google::protobuf::RepeatedField<T>* field_ = nullptr;
  int next_ = 0;
};

PayloadColumns<RepeatedColumn> columnsOf(const v1::Payload& payload);

// Visits all rows of an operation together. Requires tables that name the same
// operations in the same order, or are empty.
template <template <typename> class Column, typename Visit>
void visitInStep(RowReaders<Column> readers, Visit& visit) {
  while (!readers.issued.op().atEnd()) {
    const std::uint64_t op = readers.issued.op().id();
    std::int64_t latest_ns = 0;
    readers.issued.read(latest_ns, visit);
    readers.forEachLater([&](auto& table) __attribute__((always_inline)) {
      if (!table.op().atEnd()) table.readOf(op, latest_ns, visit);
    });
  }
}

// Visits all rows of an operation together. Requires tables whose operation ids
// never decrease.
template <template <typename> class Column, typename Visit>
void visitByOperation(RowReaders<Column> readers, std::int64_t anchor_ns,
                      Visit& visit) {
  for (bool more = true; more;) {
    std::uint64_t op = std::numeric_limits<std::uint64_t>::max();
    std::int64_t latest_ns = anchor_ns;
    more = !readers.issued.op().atEnd();
    if (more) {
      op = readers.issued.op().id();
      readers.issued.read(latest_ns, visit);
    }
    readers.forEachLater([&](auto& table) __attribute__((always_inline)) {
      while (table.op().isUpTo(op)) {
        // An operation that was issued in an earlier chunk starts from the
        // anchor.
        const bool is_own = more && table.op().id() == op;
        std::int64_t local_ns = is_own ? latest_ns : anchor_ns;
        table.read(local_ns, visit);
        if (is_own) latest_ns = local_ns;
      }
    });
  }
}

// Visits one table after the other. Accepts rows in any order of operations.
// `latest_ns` must be new or restarted for this payload.
template <template <typename> class Column, typename Visit>
void visitByTable(RowReaders<Column> readers, LatestInstants& latest_ns,
                  Visit& visit) {
  while (!readers.issued.op().atEnd()) {
    const std::uint64_t op = readers.issued.op().id();
    std::int64_t issue_ns = 0;
    readers.issued.read(issue_ns, visit);
    latest_ns.issue(op, issue_ns);
  }
  readers.forEachLater([&](auto& table) {
    while (!table.op().atEnd())
      table.read(latest_ns.of(table.op().id()), visit);
  });
}

// Visits the rows that do not advance an operation: methods, marks and resource
// samples.
template <template <typename> class Column, typename Visit>
void visitOthers(const PayloadColumns<Column>& tables, std::int64_t anchor_ns,
                 Visit& visit) {
  forEachType(OtherRows(), [&]<typename Row>() {
    TableReader<Row, Column> reader(tables.template of<Row>(), anchor_ns);
    std::int64_t none = anchor_ns;
    while (!reader.op().atEnd()) reader.read(none, visit);
  });
}

// Calls visit(field number, column) for each column of a table.
template <typename Row, template <typename> class Column, typename Visit>
void forEachColumn(TableColumns<Row, Column>& table, Visit&& visit) {
  forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
    visit(Which::kNumber, table.template get<Which>());
  });
}

// Calls visit(field number, table) for each table of a payload.
template <template <typename> class Column, typename Visit>
void forEachTable(PayloadColumns<Column>& tables, Visit&& visit) {
  forEachType(AllRows(), [&]<typename Row>() {
    visit(RowTable<Row>::kNumber, tables.template of<Row>());
  });
}

// Returns whether every column is empty or as long as the first one of its
// table.
template <template <typename> class Column>
bool columnsAgree(PayloadColumns<Column>& tables) {
  bool agree = true;
  forEachTable(tables, [&agree](int, auto& table) {
    const int rows = table.first().size();
    forEachColumn(table, [&](int, const auto& column) {
      agree &= column.empty() || column.size() == rows;
    });
  });
  return agree;
}

// Returns the number of rows. Requires columnsAgree().
template <template <typename> class Column>
std::uint64_t countRows(PayloadColumns<Column>& tables) {
  std::uint64_t count = 0;
  forEachTable(tables, [&count](int, auto& table) {
    count += static_cast<std::uint64_t>(table.first().size());
  });
  return count;
}

}  // namespace detail

// Calls visit(row) for every row of a payload, table by table. `visit` must
// accept each row type of row.h. Requires columnsAgree().
template <typename Visit>
void forEachRow(const v1::Payload& payload, Visit&& visit) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  const auto tables = detail::columnsOf(payload);
  LatestInstants latest_ns(anchor_ns, payload.issued().op_delta_size());
  detail::visitByTable(detail::RowReaders(tables, anchor_ns), latest_ns, visit);
  detail::visitOthers(tables, anchor_ns, visit);
}

}  // namespace traced
