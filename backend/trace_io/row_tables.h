// Maps each row type of row.h to its table. Reading, writing and their limits
// all derive from these definitions. See docs/reference/format.md, "Rows".

#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "trace_io/row.h"
#include "traced/v1/trace.pb.h"

namespace traced {

template <typename... Types>
struct TypeList {};

template <typename List>
struct FirstType;
template <typename First, typename... Rest>
struct FirstType<TypeList<First, Rest...>> {
  using Type = First;
};

// RowTable<Row> holds the message type of a row, its field in the payload, and
// its columns.
template <typename Row>
struct RowTable;

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

// Drops the first type. The X-macros produce lists that begin with a comma, so
// callers put a dummy type before it.
template <typename First, typename... Rest>
using WithoutFirst = TypeList<Rest...>;

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
    using Columns = WithoutFirst<void COLUMNS(TRACED_COLUMN_NAME)>;      \
  };

TRACED_ISSUE_ROWS(TRACED_TABLE)
TRACED_LATER_ROWS(TRACED_TABLE)
TRACED_OTHER_ROWS(TRACED_TABLE)

#define TRACED_ROW_NAME(Row, ...) , Row
using LaterRows = WithoutFirst<void TRACED_LATER_ROWS(TRACED_ROW_NAME)>;
using OtherRows = WithoutFirst<void TRACED_OTHER_ROWS(TRACED_ROW_NAME)>;
using AllRows =
    WithoutFirst<void TRACED_ISSUE_ROWS(TRACED_ROW_NAME) TRACED_LATER_ROWS(
        TRACED_ROW_NAME) TRACED_OTHER_ROWS(TRACED_ROW_NAME)>;

#undef TRACED_ROW_NAME
#undef TRACED_TABLE
#undef TRACED_COLUMN_NAME
#undef TRACED_COLUMN

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

// Calls visit(id) for each cell of a row that holds a text id. The id may be 0.
template <typename Row, typename Visit>
void forEachText(const Row& row, Visit&& visit) {
  forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
    if constexpr (Which::kCell == CellKind::kText) visit(Which::of(row));
  });
}

// The columns of one table in any storage. Column must have empty(), size() and
// next(), which returns the cells in order.
template <typename Row, template <typename> class Column>
struct TableColumns {
  template <typename... Types>
  static std::tuple<Column<typename Types::Value>...> tupleOf(
      TypeList<Types...>);
  decltype(tupleOf(ColumnsOf<Row>())) all;

  // Returns the column described by `Which`, a type of ColumnsOf<Row>.
  template <typename Which>
  [[gnu::always_inline]] auto& get() {
    return std::get<placeOf<Which>(ColumnsOf<Row>())>(all);
  }
  // Returns the first column, which holds operation ids or positions.
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

// The columns of all tables of a payload.
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
