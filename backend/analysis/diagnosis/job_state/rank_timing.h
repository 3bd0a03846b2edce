// RankTiming tells when one rank was ready for its operations, how long they
// took, and how long it was held up by others meanwhile: on its own clock.

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

// Of one stream, whose operations come in the order of their issues.
class RankTiming {
 public:
  explicit RankTiming(const StreamTable& table);

  // When it was ready for an operation. Of all of them, in their order; but for
  // those of no known call or group, which the others do not wait for.
  ReadyTime ready(const AssembledOperation& op) { return ready_.next(op); }

  // Of operations of the stream. On a device nothing tells when a rank was
  // ready but a start that was observed: where it was not, when it called.
  Timing message(const AssembledOperation& op, const ReadyTime& ready) const;
  // Of a collective of a group of the stream that was reached; absent where
  // nothing says until when at the latest the rank was ready.
  std::optional<Timing> collective(const AssembledOperation& op,
                                   const ReadyTime& ready,
                                   std::uint32_t group) const;

  // The program comes to an operation; and it has been timed. A message is of
  // no group.
  static constexpr std::uint32_t kMessage = ~std::uint32_t{0};
  void reach(const AssembledOperation& op);
  void done(const AssembledOperation& op, std::uint32_t group);

 private:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::min();

  // A place in the program's own time.
  struct ProgramTime {
    std::int64_t at_ns = kNever;
    // The waits until then; and what may have been others.
    std::int64_t waits_ns = 0;
    std::int64_t other_ns = 0;
  };
  // The collectives of one group.
  struct Engine {
    // The call of the one before, and when the latest of them ended.
    ProgramTime called;
    std::int64_t ended_ns = kNever;
    // When the program last came back from one, or may have.
    ProgramTime released;
    bool release_is_seen = true;
  };
  // What is to come, behind the latest call: the end of a wait, or of what no
  // wait was seen for.
  struct Coming {
    std::int64_t at_ns;
    // Of a wait.
    std::int64_t began_ns;
    std::uint32_t group;
    bool is_wait;
    bool releases;

    // Of waits that end together that which began first.
    bool operator>(const Coming& other) const {
      return std::tie(at_ns, began_ns) > std::tie(other.at_ns, other.began_ns);
    }
  };

  // Behind a call or a start at `ready_ns`, or later.
  Timing timed(const AssembledOperation& op, std::int64_t ready_ns) const;
  OwnTime ownTimeSince(const ProgramTime& place, std::int64_t until_ns) const;
  // How long since it was last seen the program may have been in a wait that
  // nobody saw.
  std::int64_t mayWaitNs(std::int64_t until_ns) const;
  void expect(const AssembledOperation& op, std::uint32_t group);
  void expect(const Coming& coming);
  void passTo(std::int64_t until_ns);
  void passUnwaited(std::int64_t until_ns);
  void forgetUnwaited(std::vector<Coming>::iterator end);
  void pass(const Coming& coming);

  const StreamTable& table_;
  ReadyTimes ready_;
  // Per group of the stream.
  std::vector<Engine> engines_;
  // The program, as of its latest call; and what comes next, that first.
  ProgramTime now_;
  std::vector<Coming> coming_;
  // Until then there may be waits that were too many to be remembered.
  std::int64_t forgotten_until_ns_ = kNever;
  // How many of these are no waits.
  std::size_t non_waits_ = 0;
  // Of that what no wait was seen for, since the latest wait or call.
  std::vector<Coming> unwaited_;
};

}  // namespace traced
