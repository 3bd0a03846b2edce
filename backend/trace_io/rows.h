// The rows of a payload: one struct per kind of event, read from its columns.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "trace_io/row_columns.h"
#include "trace_io/told_instants.h"
#include "trace_io/wrapping.h"
#include "traced/v1/trace.pb.h"

namespace traced {

struct IssueRow {
  std::uint64_t op = 0;
  std::int64_t issue_ns = 0;
  std::uint32_t call = 0;
  std::uint32_t buffers = 0;
  std::uint64_t seq = 0;
  std::uint32_t thread = 0;
  std::uint64_t batch = 0;
  std::uint32_t context = 0;
  std::uint32_t stack = 0;
};

struct ReturnRow {
  std::uint64_t op = 0;
  std::int64_t return_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
};

struct DoneRow {
  std::uint64_t op = 0;
  std::int64_t end_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint64_t engine_ns_plus_1 = 0;
};

struct WaitRow {
  std::uint64_t op = 0;
  std::int64_t wait_begin_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint32_t saw_end = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  std::uint32_t source_rank_plus_1 = 0;

  std::int64_t endNs() const {
    return wrappingSum(wait_begin_ns, static_cast<std::int64_t>(wait_ns));
  }
};

struct ReleaseRow {
  std::uint64_t op = 0;
  std::int64_t release_ns = 0;
};

struct MethodRow {
  std::uint64_t op = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  std::uint32_t channels = 0;
};

struct MarkRow {
  std::uint64_t position = 0;
  std::int64_t mark_ns = 0;
  std::uint32_t kind = 0;
  std::uint64_t value = 0;
  std::uint32_t text = 0;
};

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

// The next entry, which is 0 in a column that is empty.
template <typename T, template <typename> class Column>
[[gnu::always_inline]] inline T next(Column<T>& column) {
  return column.empty() ? T{} : column.next();
}

// Undoes a column of differences.
class Running {
 public:
  explicit Running(std::int64_t start) : value_(start) {}

  template <typename Column>
  std::int64_t plus(Column& deltas) {
    return value_ = wrappingSum(value_, next(deltas));
  }
  template <typename Column>
  std::uint64_t idPlus(Column& deltas) {
    return static_cast<std::uint64_t>(plus(deltas));
  }

 private:
  std::int64_t value_;
};

// What IssueRows.seq_step is a difference to.
class LastSeqs {
 public:
  std::int64_t& of(std::uint32_t call) { return last_[call % last_.size()]; }

 private:
  std::array<std::int64_t, 256> last_{};
};

// Which operation the next row of a table is about.
template <template <typename> class Column>
class NextOp {
 public:
  explicit NextOp(Column<std::int64_t> deltas)
      : deltas_(deltas), left_(deltas.size()) {
    if (left_ > 0) id_ = deltas_.next();
  }

  bool atEnd() const { return left_ == 0; }
  bool isUpTo(std::uint64_t last) const { return left_ > 0 && id() <= last; }
  std::uint64_t id() const { return static_cast<std::uint64_t>(id_); }
  [[gnu::always_inline]] void step() {
    if (--left_ > 0) id_ = wrappingSum(id_, deltas_.next());
  }

 private:
  Column<std::int64_t> deltas_;
  int left_;
  std::int64_t id_ = 0;
};

// The rows of a table, one after the other. Each table tells the instants of an
// operation as differences to what the table before it told, which read() is
// given and replaces.

template <template <typename> class Column>
class IssueReader {
 public:
  IssueReader(const IssueColumns<Column>& table, std::int64_t anchor_ns)
      : table_(table), op_(table.op_delta), issue_(anchor_ns) {}

  const NextOp<Column>& op() const { return op_; }

  template <typename Visit>
  [[gnu::always_inline]] std::int64_t read(Visit& visit) {
    IssueRow row{.op = op_.id(),
                 .issue_ns = issue_.plus(table_.issue_ns_delta),
                 .call = next(table_.call),
                 .buffers = next(table_.buffers),
                 .thread = next(table_.thread),
                 .batch = next(table_.batch),
                 .context = next(table_.context),
                 .stack = next(table_.stack)};
    if (!table_.seq_step.empty()) {
      std::int64_t& seq = seqs_.of(row.call);
      seq = wrappingSum(seq, table_.seq_step.next());
      row.seq = static_cast<std::uint64_t>(seq);
    }
    op_.step();
    visit(row);
    return row.issue_ns;
  }

 private:
  IssueColumns<Column> table_;
  NextOp<Column> op_;
  Running issue_;
  LastSeqs seqs_;
};

template <template <typename> class Column>
class ReturnReader {
 public:
  explicit ReturnReader(const ReturnColumns<Column>& table)
      : table_(table), op_(table.op_delta) {}

  const NextOp<Column>& op() const { return op_; }

  template <typename Visit>
  [[gnu::always_inline]] void read(std::int64_t& told, Visit& visit) {
    ReturnRow row{.op = op_.id(),
                  .outcome = next(table_.outcome),
                  .error = next(table_.error)};
    told = row.return_ns = wrappingSum(told, next(table_.return_ns_since));
    op_.step();
    visit(row);
  }

 private:
  ReturnColumns<Column> table_;
  NextOp<Column> op_;
};

template <template <typename> class Column>
class DoneReader {
 public:
  explicit DoneReader(const DoneColumns<Column>& table)
      : table_(table), op_(table.op_delta) {}

  const NextOp<Column>& op() const { return op_; }

  template <typename Visit>
  [[gnu::always_inline]] void read(std::int64_t& told, Visit& visit) {
    DoneRow row{.op = op_.id(),
                .source = next(table_.source),
                .outcome = next(table_.outcome),
                .error = next(table_.error),
                .engine_ns_plus_1 = next(table_.engine_ns_plus_1)};
    told = row.end_ns = wrappingSum(told, next(table_.end_ns_since));
    op_.step();
    visit(row);
  }

 private:
  DoneColumns<Column> table_;
  NextOp<Column> op_;
};

template <template <typename> class Column>
class WaitReader {
 public:
  explicit WaitReader(const WaitColumns<Column>& table)
      : table_(table), op_(table.op_delta) {}

  const NextOp<Column>& op() const { return op_; }

  template <typename Visit>
  [[gnu::always_inline]] void read(std::int64_t& told, Visit& visit) {
    WaitRow row{.op = op_.id(),
                .wait_ns = next(table_.wait_ns),
                .outcome = next(table_.outcome),
                .error = next(table_.error),
                .saw_end = next(table_.saw_end),
                .stall_ns_plus_1 = next(table_.stall_ns_plus_1),
                .source_rank_plus_1 = next(table_.source_rank_plus_1)};
    row.wait_begin_ns = wrappingSum(told, next(table_.wait_begin_ns_since));
    told = row.endNs();
    op_.step();
    visit(row);
  }

 private:
  WaitColumns<Column> table_;
  NextOp<Column> op_;
};

template <template <typename> class Column>
class ReleaseReader {
 public:
  explicit ReleaseReader(const ReleaseColumns<Column>& table)
      : table_(table), op_(table.op_delta) {}

  const NextOp<Column>& op() const { return op_; }

  template <typename Visit>
  [[gnu::always_inline]] void read(std::int64_t& told, Visit& visit) {
    ReleaseRow row{.op = op_.id()};
    told = row.release_ns = wrappingSum(told, next(table_.release_ns_since));
    op_.step();
    visit(row);
  }

 private:
  ReleaseColumns<Column> table_;
  NextOp<Column> op_;
};

template <template <typename> class Column, typename Visit>
void visitMethods(MethodColumns<Column> table, Visit&& visit) {
  Running op(0);
  for (int i = 0, rows = table.op_delta.size(); i < rows; ++i) {
    visit(MethodRow{.op = op.idPlus(table.op_delta),
                    .algorithm = next(table.algorithm),
                    .protocol = next(table.protocol),
                    .channels = next(table.channels)});
  }
}

template <template <typename> class Column, typename Visit>
void visitMarks(MarkColumns<Column> table, std::int64_t anchor_ns,
                Visit&& visit) {
  Running position(0), mark(anchor_ns);
  for (int i = 0; i < table.position_delta.size(); ++i) {
    visit(MarkRow{.position = position.idPlus(table.position_delta),
                  .mark_ns = mark.plus(table.mark_ns_delta),
                  .kind = next(table.kind),
                  .value = next(table.value),
                  .text = next(table.text)});
  }
}

// The rows of operations, and not those that are told once per chunk.
template <template <typename> class Column>
struct RowReaders {
  RowReaders(const RowColumns<Column>& tables, std::int64_t anchor_ns)
      : issued(tables.issued, anchor_ns),
        returned(tables.returned),
        done(tables.done),
        waited(tables.waited),
        released(tables.released) {}

  IssueReader<Column> issued;
  ReturnReader<Column> returned;
  DoneReader<Column> done;
  WaitReader<Column> waited;
  ReleaseReader<Column> released;
};

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
void visitByTable(RowReaders<Column> readers, ToldInstants& told,
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
// each of the types above. Only when columnsAgree().
template <typename Visit>
void forEachRow(const v1::Payload& payload, Visit&& visit) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  const auto tables = detail::columnsOf(payload);
  ToldInstants told(anchor_ns, payload.issued().op_delta_size());
  detail::visitByTable(detail::RowReaders(tables, anchor_ns), told, visit);
  detail::visitOthers(tables, anchor_ns, visit);
}

}  // namespace traced
