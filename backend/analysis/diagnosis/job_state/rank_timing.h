// RankTiming computes when one rank was ready for its operations, how long they
// took, and how long others delayed it. All times are of the rank's own clock.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/diagnosis/job_state/timing.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Processes one stream, whose operations must be passed in order of their issue
// times.
class RankTiming {
 public:
  explicit RankTiming(const StreamTable& table);

  // Returns when the rank was ready for an operation. Call it for every
  // operation, in order. Skip operations without a known call or group: others
  // do not wait for them.
  ReadyTime ready(const AssembledOperation& op) { return ready_.next(op); }

  // Times a message of the stream. If `ready.at` is unknown, as on a device
  // without an observed start, the message counts as ready at its call and its
  // duration is unknown.
  Timing message(const AssembledOperation& op, const ReadyTime& ready) const;
  // Times a collective of the stream's group `group`, after reach(). Absent if
  // nothing bounds from above when the rank was ready.
  std::optional<Timing> collective(const AssembledOperation& op,
                                   const ReadyTime& ready,
                                   std::uint32_t group) const;

  // Advance the program to the issue of an operation, and past it once it has
  // been timed. Messages pass kMessage as their group.
  static constexpr std::uint32_t kMessage = ~std::uint32_t{0};
  void reach(const AssembledOperation& op);
  void done(const AssembledOperation& op, std::uint32_t group);

 private:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::min();

  // A point in the program's time.
  struct ProgramTime {
    std::int64_t at_ns = kNever;
    // Recorded waits until then, and possible unrecorded waits.
    std::int64_t waits_ns = 0;
    std::int64_t other_ns = 0;
  };
  // State of one group's collectives.
  struct Engine {
    // When the previous collective was called, and when the latest of the
    // earlier ones ended.
    ProgramTime called;
    std::int64_t ended_ns = kNever;
    // When the program was last released from a collective, or may have been.
    ProgramTime released;
    bool release_is_seen = true;
  };
  // A release after the latest call: the end of a wait, or the end of an
  // operation without a recorded wait.
  struct Coming {
    std::int64_t at_ns;
    // Only for waits.
    std::int64_t began_ns;
    std::uint32_t group;
    bool is_wait;
    bool releases;

    // If two waits end together, the one that began first is processed first.
    bool operator>(const Coming& other) const {
      return std::tie(at_ns, began_ns) > std::tie(other.at_ns, other.began_ns);
    }
  };

  // Times an operation that was ready at `ready_ns`, or later.
  Timing timed(const AssembledOperation& op, std::int64_t ready_ns) const;
  // Returns the program's own time from `place` to `until_ns`.
  OwnTime ownTimeSince(const ProgramTime& place, std::int64_t until_ns) const;
  // Returns how long, between `now_` and `until_ns`, the program may have been
  // in an unrecorded wait.
  std::int64_t mayWaitNs(std::int64_t until_ns) const;
  // Queues the release of the program from an operation.
  void expect(const AssembledOperation& op, std::uint32_t group);
  void expect(const Coming& coming);
  // Advances the program's time to `until_ns`, and processes all releases until
  // then.
  void passTo(std::int64_t until_ns);
  void passUnwaited(std::int64_t until_ns);
  // Removes the processed entries before `end` from `unwaited_`.
  void forgetUnwaited(std::vector<Coming>::iterator end);
  // Advances the program's time to one release.
  void pass(const Coming& coming);

  const StreamTable& table_;
  ReadyTimes ready_;
  // Indexed by the stream's group.
  std::vector<Engine> engines_;
  // The program's time as of its latest call, and the next releases as a
  // min-heap.
  ProgramTime now_;
  std::vector<Coming> coming_;
  // Unrecorded waits beyond kMaxComing may last until then.
  std::int64_t forgotten_until_ns_ = kNever;
  // Number of entries in `coming_` and `unwaited_` that are not waits.
  std::size_t non_waits_ = 0;
  // Operations that ended without a recorded wait, since the latest wait or
  // call.
  std::vector<Coming> unwaited_;
};

}  // namespace traced
