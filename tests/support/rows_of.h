// Reads the rows of one table of a payload.

#pragma once

#include <type_traits>
#include <vector>

#include "trace_io/rows.h"

namespace traced::testing {

template <typename Row>
std::vector<Row> rowsOf(const v1::Payload& payload) {
  std::vector<Row> rows;
  forEachRow(payload, [&](const auto& row) {
    if constexpr (std::is_same_v<std::decay_t<decltype(row)>, Row>) {
      rows.push_back(row);
    }
  });
  return rows;
}

}  // namespace traced::testing
