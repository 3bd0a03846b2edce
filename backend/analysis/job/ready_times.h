// When a rank was ready for an operation. That is not when it issued it: hosts
// run ahead of devices, and operations queue.

#pragma once

#include <memory>
#include <vector>

#include "analysis/stream/stream_table.h"
#include "base/instant.h"

namespace traced {

struct ReadyTime {
  // Certainly between these. Where ends are missing, its own too, the latter is
  // not known.
  Instant earliest;
  Instant latest;
  // The latter, where it is a figure: an end before that was only seen when
  // somebody looked may have been long ago, and its own end is a bound only.
  Instant at;
};

// Of the operations of a stream, which outlives it and may come to define more;
// unknown where nothing
// tells:
//   - the start of the engine, where it was observed;
//   - on a device, nothing else: what it computed before is not in the trace;
//   - on the CPU the issue, or the end of the operation before on the same
//     group if that was later. Gloo has two workers per group, so there it is
//     the second-last end; a barrier waits for all that was before it, and
//     sends, receives and monitored barriers wait for nothing;
//   - of an engine that is not known the issue, where all that the process
//     called on such engines had ended by then; else nothing tells when it is
//     begun, but that it is before its end;
//   - an end that is a late bound may have been any time before;
//   - one that is not known may be still to come: one of Gloo's workers may
//     never have come back from it. Numbers that are missing are operations
//     whose records are lost.
class ReadyTimes {
 public:
  explicit ReadyTimes(const StreamTable& table);
  ~ReadyTimes();

  // Of all operations, in their order: one depends on those before.
  ReadyTime next(const AssembledOperation& op);

 private:
  struct Readiness;
  std::unique_ptr<Readiness> readiness_;
};

// One per operation of the stream.
std::vector<ReadyTime> readyTimes(const StreamTable& table);

}  // namespace traced
