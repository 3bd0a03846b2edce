#include "trace_io/rows.h"

namespace traced {

namespace detail {

PayloadColumns<RepeatedColumn> columnsOf(const v1::Payload& payload) {
  PayloadColumns<RepeatedColumn> tables;
  forEachType(AllRows(), [&]<typename Row>() {
    auto& table = tables.of<Row>();
    forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
      table.template get<Which>() =
          RepeatedColumn(Which::of(RowTable<Row>::of(payload)));
    });
  });
  return tables;
}

}  // namespace detail

bool columnsAgree(const v1::Payload& payload) {
  auto columns = detail::columnsOf(payload);
  return detail::columnsAgree(columns);
}

std::uint64_t rowCount(const v1::Payload& payload) {
  auto columns = detail::columnsOf(payload);
  return detail::countRows(columns);
}

}  // namespace traced
