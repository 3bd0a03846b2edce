// NanOrigins finds where NaN enters the communication of a job.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/values/examined_stream.h"
#include "analysis/job/operation_index.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// The first operation with NaN whose NaN did not come from another operation.
struct NanOrigin {
  std::uint32_t rank = 0;
  OperationKey operation;
  std::uint64_t seq = 0;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  // On the clock of the stream.
  std::int64_t issue_ns = 0;
  std::uint64_t nan = 0;
  std::uint64_t elements = 0;
  // Every earlier result of the rank was examined and had no NaN.
  bool all_examined = true;
};

// Returns the origin of NaN on the rank of a stream. Absent
//   - if no input had NaN, or an earlier output had some,
//   - if the NaN did not stay: a later operation of the same call has none, as
//     after a skipped step of mixed precision,
//   - if no later operation shows whether it stays, and the process ended in
//     order,
//   - if a program may mean it: the call had NaN from the start, reduces
//     nothing, and no other call got NaN.
std::optional<NanOrigin> nanOrigin(const ExaminedStream& stream);

}  // namespace traced
