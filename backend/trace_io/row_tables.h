// The tables of rows.proto, each column described once: reading, writing and
// the limits of both follow from that. See docs/format.md, "Rows".
//
// A new kind of row takes its struct in row.h, its columns here, and its place
// in AllRows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "trace_io/row.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What a cell holds of a member of the row. The first column of a table has one
// cell per row; of the others those of kPlain, kText and kAfterCall are empty
// while all are 0.
enum class CellKind : std::uint8_t {
  kPlain,
  // The id of a text, or 0.
  kText,
  // The difference to the row before.
  kStep,
  // An instant: the difference to the row before, of the first to the anchor.
  kAfterRow,
  // An instant: the difference to what was told last of the operation, by the
  // tables before; to the anchor where that is nothing.
  kAfterOperation,
  // The difference to the row before of the same call.
  kAfterCall,
};

template <typename... Types>
struct TypeList {};

template <typename List>
struct FirstType;
template <typename First, typename... Rest>
struct FirstType<TypeList<First, Rest...>> {
  using Type = First;
};

// RowTable<Row>: the message of a kind of row, its field in the payload, and
// its columns.
template <typename Row>
struct RowTable;

// Each X(name, Name, cell, member) is a column of the message.
#define TRACED_ISSUE_COLUMNS(X)                        \
  X(op_delta, OpDelta, kStep, op)                      \
  X(issue_ns_delta, IssueNsDelta, kAfterRow, issue_ns) \
  X(call, Call, kPlain, call)                          \
  X(buffers, Buffers, kPlain, buffers)                 \
  X(seq_step, SeqStep, kAfterCall, seq)                \
  X(thread, Thread, kPlain, thread)                    \
  X(batch, Batch, kPlain, batch)                       \
  X(context, Context, kPlain, context)                 \
  X(stack, Stack, kPlain, stack)

#define TRACED_RETURN_COLUMNS(X)                                \
  X(op_delta, OpDelta, kStep, op)                               \
  X(return_ns_since, ReturnNsSince, kAfterOperation, return_ns) \
  X(outcome, Outcome, kPlain, outcome)                          \
  X(error, Error, kText, error)

#define TRACED_DONE_COLUMNS(X)                         \
  X(op_delta, OpDelta, kStep, op)                      \
  X(end_ns_since, EndNsSince, kAfterOperation, end_ns) \
  X(source, Source, kPlain, source)                    \
  X(outcome, Outcome, kPlain, outcome)                 \
  X(error, Error, kText, error)                        \
  X(engine_ns_plus_1, EngineNsPlus1, kPlain, engine_ns_plus_1)

#define TRACED_WAIT_COLUMNS(X)                                             \
  X(op_delta, OpDelta, kStep, op)                                          \
  X(wait_begin_ns_since, WaitBeginNsSince, kAfterOperation, wait_begin_ns) \
  X(wait_ns, WaitNs, kPlain, wait_ns)                                      \
  X(outcome, Outcome, kPlain, outcome)                                     \
  X(error, Error, kText, error)                                            \
  X(saw_end, SawEnd, kPlain, saw_end)                                      \
  X(stall_ns_plus_1, StallNsPlus1, kPlain, stall_ns_plus_1)                \
  X(source_rank_plus_1, SourceRankPlus1, kPlain, source_rank_plus_1)

#define TRACED_RELEASE_COLUMNS(X) \
  X(op_delta, OpDelta, kStep, op) \
  X(release_ns_since, ReleaseNsSince, kAfterOperation, release_ns)

#define TRACED_METHOD_COLUMNS(X)            \
  X(op_delta, OpDelta, kStep, op)           \
  X(algorithm, Algorithm, kText, algorithm) \
  X(protocol, Protocol, kText, protocol)    \
  X(channels, Channels, kPlain, channels)

#define TRACED_MARK_COLUMNS(X)                      \
  X(position_delta, PositionDelta, kStep, position) \
  X(mark_ns_delta, MarkNsDelta, kAfterRow, mark_ns) \
  X(kind, Kind, kPlain, kind)                       \
  X(value, Value, kPlain, value)                    \
  X(text, Text, kText, text)

#define TRACED_COLUMN(name, Name, cell, member)                           \
  struct name {                                                           \
    using Cells = std::remove_cvref_t<decltype(Message().name())>;        \
    using Value = typename Cells::value_type;                             \
    static constexpr int kNumber = Message::k##Name##FieldNumber;         \
    static constexpr CellKind kCell = CellKind::cell;                     \
    static auto& of(Row& row) { return row.member; }                      \
    static const auto& of(const Row& row) { return row.member; }          \
    static const Cells& of(const Message& table) { return table.name(); } \
    static Cells& of(Message& table) { return *table.mutable_##name(); }  \
  };
#define TRACED_COLUMN_NAME(name, Name, cell, member) , name

// A list that begins with a comma, behind a type that does not count.
template <typename First, typename... Rest>
using AllBehind = TypeList<Rest...>;

#define TRACED_TABLE(TheRow, TheMessage, field, Field, COLUMNS)          \
  template <>                                                            \
  struct RowTable<TheRow> {                                              \
    using Row = TheRow;                                                  \
    using Message = v1::TheMessage;                                      \
    static constexpr int kNumber = v1::Payload::k##Field##FieldNumber;   \
    static bool isIn(const v1::Payload& payload) {                       \
      return payload.has_##field();                                      \
    }                                                                    \
    static const Message& of(const v1::Payload& payload) {               \
      return payload.field();                                            \
    }                                                                    \
    static Message& of(v1::Payload& payload) {                           \
      return *payload.mutable_##field();                                 \
    }                                                                    \
    static void clear(v1::Payload& payload) { payload.clear_##field(); } \
    COLUMNS(TRACED_COLUMN)                                               \
    using Columns = AllBehind<void COLUMNS(TRACED_COLUMN_NAME)>;         \
  };

TRACED_TABLE(IssueRow, IssueRows, issued, Issued, TRACED_ISSUE_COLUMNS)
TRACED_TABLE(ReturnRow, ReturnRows, returned, Returned, TRACED_RETURN_COLUMNS)
TRACED_TABLE(DoneRow, DoneRows, done, Done, TRACED_DONE_COLUMNS)
TRACED_TABLE(WaitRow, WaitRows, waited, Waited, TRACED_WAIT_COLUMNS)
TRACED_TABLE(ReleaseRow, ReleaseRows, released, Released,
             TRACED_RELEASE_COLUMNS)
TRACED_TABLE(MethodRow, MethodRows, method, Method, TRACED_METHOD_COLUMNS)
TRACED_TABLE(MarkRow, MarkRows, marked, Marked, TRACED_MARK_COLUMNS)

#undef TRACED_TABLE
#undef TRACED_COLUMN_NAME
#undef TRACED_COLUMN
#undef TRACED_MARK_COLUMNS
#undef TRACED_METHOD_COLUMNS
#undef TRACED_RELEASE_COLUMNS
#undef TRACED_WAIT_COLUMNS
#undef TRACED_DONE_COLUMNS
#undef TRACED_RETURN_COLUMNS
#undef TRACED_ISSUE_COLUMNS

// Rows of what happened to an operation after its issue, in their order.
using LaterRows = TypeList<ReturnRow, DoneRow, WaitRow, ReleaseRow>;
// The others but for issues.
using OtherRows = TypeList<MethodRow, MarkRow>;
using AllRows = TypeList<IssueRow, ReturnRow, DoneRow, WaitRow, ReleaseRow,
                         MethodRow, MarkRow>;

// Calls visit.operator()<T>() for each type of the list.
template <typename... Types, typename Visit>
[[gnu::always_inline]] constexpr void forEachType(TypeList<Types...>,
                                                  Visit&& visit) {
  (visit.template operator()<Types>(), ...);
}

template <typename Row>
using ColumnsOf = typename RowTable<Row>::Columns;
template <typename Row>
using FirstColumn = typename FirstType<ColumnsOf<Row>>::Type;

// Calls visit(id) for each cell of a row that is the id of a text, or 0.
template <typename Row, typename Visit>
void forEachText(const Row& row, Visit&& visit) {
  forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
    if constexpr (Which::kCell == CellKind::kText) visit(Which::of(row));
  });
}

// The columns of one table, however a column is stored: Column has empty(),
// size() and next(), which is its first cell, then the second, and so on.
template <typename Row, template <typename> class Column>
struct TableColumns {
  template <typename... Types>
  static std::tuple<Column<typename Types::Value>...> tupleOf(
      TypeList<Types...>);
  decltype(tupleOf(ColumnsOf<Row>())) all;

  // The column that a type of ColumnsOf<Row> describes.
  template <typename Which>
  [[gnu::always_inline]] auto& get() {
    return std::get<placeOf<Which>(ColumnsOf<Row>())>(all);
  }
  // The first one, of operations or positions.
  auto& first() { return std::get<0>(all); }
  const auto& first() const { return std::get<0>(all); }

 private:
  template <typename Which, typename... Types>
  static constexpr std::size_t placeOf(TypeList<Types...>) {
    std::size_t place = 0;
    (void)((std::is_same_v<Which, Types> || (++place, false)) || ...);
    return place;
  }
};

// The tables of a payload.
template <template <typename> class Column>
struct PayloadColumns {
  template <typename... Rows>
  static std::tuple<TableColumns<Rows, Column>...> tupleOf(TypeList<Rows...>);
  decltype(tupleOf(AllRows())) all;

  template <typename Row>
  auto& of() {
    return std::get<TableColumns<Row, Column>>(all);
  }
  template <typename Row>
  const auto& of() const {
    return std::get<TableColumns<Row, Column>>(all);
  }
};

}  // namespace traced
