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
  void step() {
    if (--left_ > 0) id_ = wrappingSum(id_, deltas_.next());
  }

 private:
  Column<std::int64_t> deltas_;
  int left_;
  std::int64_t id_ = 0;
};

// The rows of a table, from where it was left to the first that is about an
// operation behind `last`. Of one that was issued in this payload, each table
// tells instants as differences to what the table before it told. What is read
// from is copied for the time, so that it can stay in registers.

template <template <typename> class Column>
class IssueReader {
 public:
  IssueReader(const IssueColumns<Column>& table, std::int64_t anchor_ns)
      : table_(table), op_(table.op_delta), issue_(anchor_ns) {}

  bool atEnd() const { return op_.atEnd(); }

  // At most so many rows; tells the operation of the last one.
  template <typename Visit>
  std::uint64_t read(int rows, ToldInstants& told, Visit&& visit) {
    auto [table, op] = std::pair(table_, op_);
    Running issue = issue_;
    const bool numbered = !table.seq_step.empty();
    std::uint64_t last = 0;
    for (; rows > 0 && !op.atEnd(); --rows, op.step()) {
      IssueRow row{.op = op.id(),
                   .issue_ns = issue.plus(table.issue_ns_delta),
                   .call = next(table.call),
                   .buffers = next(table.buffers),
                   .thread = next(table.thread),
                   .batch = next(table.batch),
                   .context = next(table.context),
                   .stack = next(table.stack)};
      if (numbered) {
        std::int64_t& seq = seqs_.of(row.call);
        seq = wrappingSum(seq, next(table.seq_step));
        row.seq = static_cast<std::uint64_t>(seq);
      }
      last = row.op;
      told.issue(row.op, row.issue_ns);
      visit(row);
    }
    table_ = table;
    op_ = op;
    issue_ = issue;
    return last;
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

  template <typename Visit>
  void readUpTo(std::uint64_t last, ToldInstants& told, Visit&& visit) {
    auto [table, op] = std::pair(table_, op_);
    for (; op.isUpTo(last); op.step()) {
      ReturnRow row{.op = op.id(),
                    .outcome = next(table.outcome),
                    .error = next(table.error)};
      std::int64_t& before = told.of(row.op);
      row.return_ns = wrappingSum(before, next(table.return_ns_since));
      before = row.return_ns;
      visit(row);
    }
    table_ = table;
    op_ = op;
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

  template <typename Visit>
  void readUpTo(std::uint64_t last, ToldInstants& told, Visit&& visit) {
    auto [table, op] = std::pair(table_, op_);
    for (; op.isUpTo(last); op.step()) {
      DoneRow row{.op = op.id(),
                  .source = next(table.source),
                  .outcome = next(table.outcome),
                  .error = next(table.error),
                  .engine_ns_plus_1 = next(table.engine_ns_plus_1)};
      std::int64_t& before = told.of(row.op);
      row.end_ns = wrappingSum(before, next(table.end_ns_since));
      before = row.end_ns;
      visit(row);
    }
    table_ = table;
    op_ = op;
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

  template <typename Visit>
  void readUpTo(std::uint64_t last, ToldInstants& told, Visit&& visit) {
    auto [table, op] = std::pair(table_, op_);
    for (; op.isUpTo(last); op.step()) {
      WaitRow row{.op = op.id(),
                  .wait_ns = next(table.wait_ns),
                  .outcome = next(table.outcome),
                  .error = next(table.error),
                  .saw_end = next(table.saw_end),
                  .stall_ns_plus_1 = next(table.stall_ns_plus_1),
                  .source_rank_plus_1 = next(table.source_rank_plus_1)};
      std::int64_t& before = told.of(row.op);
      row.wait_begin_ns = wrappingSum(before, next(table.wait_begin_ns_since));
      before = row.endNs();
      visit(row);
    }
    table_ = table;
    op_ = op;
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

  template <typename Visit>
  void readUpTo(std::uint64_t last, ToldInstants& told, Visit&& visit) {
    auto [table, op] = std::pair(table_, op_);
    for (; op.isUpTo(last); op.step()) {
      ReleaseRow row{.op = op.id()};
      row.release_ns =
          wrappingSum(told.of(row.op), next(table.release_ns_since));
      visit(row);
    }
    table_ = table;
    op_ = op;
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

// Rows that are visited before those of the next table, where a payload is read
// in stretches: what is known of so many operations fits the first caches.
inline constexpr int kStretchRows = 128;

// `in_stretches`: only when no table goes back to an earlier operation.
template <template <typename> class Column, typename Visit>
void visitTables(const RowColumns<Column>& tables, std::int64_t anchor_ns,
                 bool in_stretches, ToldInstants& told, Visit&& visit) {
  const int rows = tables.issued.op_delta.size();
  told.restart(anchor_ns, rows);
  IssueReader issued(tables.issued, anchor_ns);
  ReturnReader returned(tables.returned);
  DoneReader done(tables.done);
  WaitReader waited(tables.waited);
  ReleaseReader released(tables.released);
  for (bool more = true; more;) {
    std::uint64_t last =
        issued.read(in_stretches ? kStretchRows : rows, told, visit);
    more = !issued.atEnd();
    if (!more) last = std::numeric_limits<std::uint64_t>::max();
    returned.readUpTo(last, told, visit);
    done.readUpTo(last, told, visit);
    waited.readUpTo(last, told, visit);
    released.readUpTo(last, told, visit);
  }
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
  ToldInstants told;
  detail::visitTables(detail::columnsOf(payload),
                      payload.anchor().monotonic_ns(), false, told, visit);
}

}  // namespace traced
