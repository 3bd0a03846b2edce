// When a rank was ready for an operation. That differs from its issue time,
// because hosts run ahead of devices and operations queue.

#pragma once

#include <memory>
#include <vector>

#include "analysis/stream/stream_table.h"
#include "base/instant.h"

namespace traced {

struct ReadyTime {
  // Certain bounds. `latest` is unknown if ends are missing, including the
  // operation's own.
  Instant earliest;
  Instant latest;
  // Equals `latest` if that is an exact time, not only a bound. It is a bound
  // if an earlier end was only noticed by polling, or if it derives from the
  // operation's own end.
  Instant at;
};

// ReadyTimes computes when a rank was ready for each operation of a stream. The
// stream must outlive it and may define more later. Unknown if no record shows
// it:
//   - An observed start of the engine is the ready time.
//   - On a device nothing else is known: earlier computation is not in the
//     trace.
//   - On the CPU it is the issue, or the end of the group's previous operation
//     if that was later. Gloo has two workers per group, so there it is the
//     second-last end. A barrier waits for everything before it. Sends,
//     receives and monitored barriers wait for nothing.
//   - With an unknown engine it is the issue, if everything the process called
//     on such engines had ended by then. Otherwise it is only known to be
//     before the end.
//   - An end that is an upper bound may have been at any earlier time.
//   - An unknown end may be still to come: one of Gloo's workers may never have
//     returned from it. Missing numbers are operations whose records are lost.
class ReadyTimes {
 public:
  explicit ReadyTimes(const StreamTable& table);
  ~ReadyTimes();

  // Returns the ready time of the next operation. Must be called for all
  // operations, in order, because each depends on the earlier ones.
  ReadyTime next(const AssembledOperation& op);

 private:
  struct Readiness;
  std::unique_ptr<Readiness> readiness_;
};

// Returns one value per operation of the stream.
std::vector<ReadyTime> readyTimes(const StreamTable& table);

}  // namespace traced
