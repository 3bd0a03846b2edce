// What undoes the columns of each table, row by row.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <array>
#include <cstdint>

#include "trace_io/row.h"
#include "trace_io/row_columns.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace detail {

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
// given and replaces. Who knows which operation the next row is about says so
// to readOf(), and asks for op() no more.

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
    readOf(op_.id(), told, visit);
    op_.step();
  }
  template <typename Visit>
  [[gnu::always_inline]] void readOf(std::uint64_t op, std::int64_t& told,
                                     Visit& visit) {
    ReturnRow row{
        .op = op, .outcome = next(table_.outcome), .error = next(table_.error)};
    told = row.return_ns = wrappingSum(told, next(table_.return_ns_since));
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
    readOf(op_.id(), told, visit);
    op_.step();
  }
  template <typename Visit>
  [[gnu::always_inline]] void readOf(std::uint64_t op, std::int64_t& told,
                                     Visit& visit) {
    DoneRow row{.op = op,
                .source = next(table_.source),
                .outcome = next(table_.outcome),
                .error = next(table_.error),
                .engine_ns_plus_1 = next(table_.engine_ns_plus_1)};
    told = row.end_ns = wrappingSum(told, next(table_.end_ns_since));
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
    readOf(op_.id(), told, visit);
    op_.step();
  }
  template <typename Visit>
  [[gnu::always_inline]] void readOf(std::uint64_t op, std::int64_t& told,
                                     Visit& visit) {
    WaitRow row{.op = op,
                .wait_ns = next(table_.wait_ns),
                .outcome = next(table_.outcome),
                .error = next(table_.error),
                .saw_end = next(table_.saw_end),
                .stall_ns_plus_1 = next(table_.stall_ns_plus_1),
                .source_rank_plus_1 = next(table_.source_rank_plus_1)};
    row.wait_begin_ns = wrappingSum(told, next(table_.wait_begin_ns_since));
    told = row.endNs();
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
    readOf(op_.id(), told, visit);
    op_.step();
  }
  template <typename Visit>
  [[gnu::always_inline]] void readOf(std::uint64_t op, std::int64_t& told,
                                     Visit& visit) {
    ReleaseRow row{.op = op};
    told = row.release_ns = wrappingSum(told, next(table_.release_ns_since));
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

}  // namespace detail
}  // namespace traced
