// Decodes the columns of each table, row by row. See row_tables.h and
// docs/reference/format.md, "Rows".

#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "trace_io/row.h"
#include "trace_io/row_tables.h"
#include "trace_io/wrapping.h"

namespace traced::detail {

// Returns the next entry, or 0 if the column is empty.
template <typename T, template <typename> class Column>
[[gnu::always_inline]] inline T next(Column<T>& column) {
  return column.empty() ? T{} : column.next();
}

// Keeps the last `seq` of the calls with equal remainders, for
// CellKind::kAfterCall.
class LastSeqs {
 public:
  std::int64_t& of(std::uint32_t call) { return last_[call % last_.size()]; }

 private:
  std::array<std::int64_t, 256> last_{};
};

struct NoSeqs {};

// Iterates over the first column of a table: the operation or position of each
// row.
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

// Reads the rows of one table in order.
template <typename Row, template <typename> class Column>
class TableReader {
 public:
  TableReader(const TableColumns<Row, Column>& table, std::int64_t anchor_ns)
      : table_(table), op_(table.first()), last_ns_(anchor_ns) {}

  const NextOp<Column>& op() const { return op_; }

  // Reads the next row and calls visit(row). `last_ns` is the last known
  // instant of the operation; it is updated. Requires !op().atEnd().
  template <typename Visit>
  [[gnu::always_inline]] void read(std::int64_t& last_ns, Visit& visit) {
    readOf(op_.id(), last_ns, visit);
    op_.step();
  }
  // Does the same if the caller knows the operation of the row. Does not
  // advance op(), so do not mix the two.
  template <typename Visit>
  [[gnu::always_inline]] void readOf(std::uint64_t op, std::int64_t& last_ns,
                                     Visit& visit) {
    Row row;
    forEachType(
        ColumnsOf<Row>(), [&]<typename Which>() __attribute__((always_inline)) {
          Which::of(row) = valueOf<Which>(op, last_ns, row);
        });
    if constexpr (requires { row.lastNs(); }) last_ns = row.lastNs();
    visit(row);
  }

 private:
  static constexpr bool kHasSeqs = std::is_same_v<Row, IssueRow>;

  template <typename Which>
  [[gnu::always_inline]] auto valueOf(std::uint64_t op, std::int64_t last_ns,
                                      const Row& row) {
    if constexpr (Which::kCell == CellKind::kStep) {
      return op;
    } else if constexpr (Which::kCell == CellKind::kPlain ||
                         Which::kCell == CellKind::kText) {
      return next(table_.template get<Which>());
    } else if constexpr (Which::kCell == CellKind::kAfterOperation) {
      return wrappingSum(last_ns, next(table_.template get<Which>()));
    } else if constexpr (Which::kCell == CellKind::kAfterRow) {
      return last_ns_ =
                 wrappingSum(last_ns_, next(table_.template get<Which>()));
    } else {
      auto& column = table_.template get<Which>();
      if (column.empty()) return std::uint64_t{0};
      std::int64_t& seq = seqs_.of(row.call);
      seq = wrappingSum(seq, column.next());
      return static_cast<std::uint64_t>(seq);
    }
  }

  TableColumns<Row, Column> table_;
  NextOp<Column> op_;
  std::int64_t last_ns_;
  [[no_unique_address]] std::conditional_t<kHasSeqs, LastSeqs, NoSeqs> seqs_;
};

// Readers for the issue rows and LaterRows.
template <template <typename> class Column>
struct RowReaders {
  RowReaders(const PayloadColumns<Column>& tables, std::int64_t anchor_ns)
      : RowReaders(tables, anchor_ns, LaterRows()) {}

  TableReader<IssueRow, Column> issued;
  template <typename... Rows>
  static std::tuple<TableReader<Rows, Column>...> tupleOf(TypeList<Rows...>);
  decltype(tupleOf(LaterRows())) later;

  // Calls visit(reader) for each reader of LaterRows.
  template <typename Visit>
  [[gnu::always_inline]] void forEachLater(Visit&& visit) {
    std::apply(
        [&](auto&... readers)
            __attribute__((always_inline)) { (visit(readers), ...); },
        later);
  }

 private:
  template <typename... Rows>
  RowReaders(const PayloadColumns<Column>& tables, std::int64_t anchor_ns,
             TypeList<Rows...>)
      : issued(tables.template of<IssueRow>(), anchor_ns),
        later(TableReader<Rows, Column>(tables.template of<Rows>(),
                                        anchor_ns)...) {}
};

}  // namespace traced::detail
