// The rows of a payload, read from its columns.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <cstdint>
#include <limits>

#include "trace_io/latest_instants.h"
#include "trace_io/row.h"
#include "trace_io/row_columns.h"
#include "trace_io/row_readers.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Whether every column is empty or as long as its table. The rows of a payload
// for which it is false are unusable, and must not be read.
bool columnsAgree(const v1::Payload& payload);

// How many rows the payload holds. Only when columnsAgree().
std::uint64_t rowCount(const v1::Payload& payload);

namespace detail {

// A column that protobuf has read.
template <typename T>
class RepeatedColumn {
 public:
  explicit RepeatedColumn(const google::protobuf::RepeatedField<T>& field)
      : field_(&field) {}
  bool empty() const { return field_->empty(); }
  int size() const { return field_->size(); }
  T next() { return field_->Get(next_++); }

 private:
  const google::protobuf::RepeatedField<T>* field_;
  int next_ = 0;
};

RowColumns<RepeatedColumn> columnsOf(const v1::Payload& payload);

// Of tables that name the same operations in the same order, or are empty: all
// rows of an operation together.
template <template <typename> class Column, typename Visit>
void visitInStep(RowReaders<Column> readers, Visit& visit) {
  while (!readers.issued.op().atEnd()) {
    const std::uint64_t op = readers.issued.op().id();
    std::int64_t told = readers.issued.read(visit);
    const auto readNext = [&](auto& table) __attribute__((always_inline)) {
      if (!table.op().atEnd()) table.readOf(op, told, visit);
    };
    readNext(readers.returned);
    readNext(readers.done);
    readNext(readers.waited);
    readNext(readers.released);
  }
}

// Of tables that go from operation to operation, none back to an earlier one:
// all rows of an operation together.
template <template <typename> class Column, typename Visit>
void visitByOperation(RowReaders<Column> readers, std::int64_t anchor_ns,
                      Visit& visit) {
  for (bool more = true; more;) {
    std::uint64_t op = std::numeric_limits<std::uint64_t>::max();
    std::int64_t told = anchor_ns;
    more = !readers.issued.op().atEnd();
    if (more) {
      op = readers.issued.op().id();
      told = readers.issued.read(visit);
    }
    const auto readUpTo = [&](auto& table) __attribute__((always_inline)) {
      while (table.op().isUpTo(op)) {
        // Of one that was not issued in this payload nothing was told.
        const bool is_own = more && table.op().id() == op;
        std::int64_t told_here = is_own ? told : anchor_ns;
        table.read(told_here, visit);
        if (is_own) told = told_here;
      }
    };
    readUpTo(readers.returned);
    readUpTo(readers.done);
    readUpTo(readers.waited);
    readUpTo(readers.released);
  }
}

// Of any tables: one after the other.
template <template <typename> class Column, typename Visit>
void visitByTable(RowReaders<Column> readers, LatestInstants& told,
                  Visit& visit) {
  while (!readers.issued.op().atEnd()) {
    const std::uint64_t op = readers.issued.op().id();
    told.issue(op, readers.issued.read(visit));
  }
  const auto readAll = [&](auto& table) {
    while (!table.op().atEnd()) table.read(told.of(table.op().id()), visit);
  };
  readAll(readers.returned);
  readAll(readers.done);
  readAll(readers.waited);
  readAll(readers.released);
}

template <template <typename> class Column, typename Visit>
void visitOthers(const RowColumns<Column>& tables, std::int64_t anchor_ns,
                 Visit& visit) {
  visitMethods(tables.method, visit);
  visitMarks(tables.marked, anchor_ns, visit);
}

// Whether every column is empty or as long as its table's first.
template <template <typename> class Column>
bool columnsAgree(RowColumns<Column>& tables) {
  bool agree = true;
  tables.forEach([&agree](int, auto& table) {
    int rows = -1;
    table.forEach([&](int, const auto& column) {
      if (rows < 0) rows = column.size();
      agree &= column.empty() || column.size() == rows;
    });
  });
  return agree;
}

// Only when they agree.
template <template <typename> class Column>
std::uint64_t countRows(RowColumns<Column>& tables) {
  std::uint64_t count = 0;
  tables.forEach([&count](int, auto& table) {
    bool first = true;
    table.forEach([&](int, const auto& column) {
      if (first) count += static_cast<std::uint64_t>(column.size());
      first = false;
    });
  });
  return count;
}

}  // namespace detail

// Calls visit(row) for every row of a payload, table by table, with a row of
// each of the types of row.h. Only when columnsAgree().
template <typename Visit>
void forEachRow(const v1::Payload& payload, Visit&& visit) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  const auto tables = detail::columnsOf(payload);
  LatestInstants told(anchor_ns, payload.issued().op_delta_size());
  detail::visitByTable(detail::RowReaders(tables, anchor_ns), told, visit);
  detail::visitOthers(tables, anchor_ns, visit);
}

}  // namespace traced
