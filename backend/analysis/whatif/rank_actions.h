// RankActions is what one rank did, in the order in which it could continue:
// it joined operations, and waited for their ends.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/clock_models.h"
#include "analysis/stream/stream_table.h"

namespace traced::whatif {

struct Action {
  // Common time. Equal for a join.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // The maximum error of a join's time.
  float clock_ns = 0;
  // Index into StreamTable::operations.
  std::uint32_t op = 0;
  bool is_wait = false;
  // Whether the program waited is unknown; if so, until `end_ns`.
  bool is_unseen = false;
};

// The end of an operation in common time.
struct OperationEnd {
  std::int64_t ns = 0;
  // When the engine reported the end. Its worker was busy until then.
  std::int64_t reported_ns = 0;
  bool known = false;
  // Only an upper bound.
  bool late = false;
  // Something else than a wait reported the end.
  bool reported = false;
  // The program may have waited for it without a record.
  bool unseen_wait = false;
};

struct RankActions {
  // Sorted by end. On a device, times are those of its stream.
  std::vector<Action> actions;
  // One per operation of the stream.
  std::vector<OperationEnd> ends;
  std::uint64_t unfinished = 0;
  std::uint64_t failed = 0;
  std::uint64_t untimed = 0;
};

// Returns the actions of a stream. Leaves out failed and simulated operations.
RankActions rankActions(const StreamTable& table, const v1::ClockModel& clock);

}  // namespace traced::whatif
