// An operation as the tables have it: what an export says of it, and how its
// time splits.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "analysis/job/operation_index.h"
#include "analysis/time_split/time_split.h"
#include "cli/export/export_columns.h"

namespace traced {

struct ExportedOperation {
  ExportedCall call;
  OperationSplit split;
  // When the rank was ready for it; may be unknown.
  Instant ready;
  // Of its group among all; see GroupPlaces.
  std::uint32_t group_place = 0;
  // What tells, with its number, which operations of other ranks are one with
  // it; absent where that is not known.
  std::optional<OperationKey> key;
  // As the columns of these names have them, or kNoValue.
  std::int64_t step = 0;
  std::int64_t correlation_id = 0;

  std::uint32_t rank() const { return call.table.header.rank(); }
  // Its number, by which rows are in order: what has none comes last.
  std::uint64_t seqPlace() const {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t seq = call.op.seq;
    return seq == 0 || seq > kLargest ? ~std::uint64_t{0} : seq;
  }
  std::int64_t commonNsOf(Instant at) const {
    return call.clock.commonNs(at.ns());
  }
};

}  // namespace traced
