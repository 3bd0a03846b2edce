// RankTiming tells when one rank was ready for its operations, how long they
// took, and how long it was held up by others meanwhile.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/diagnosis/timing.h"
#include "analysis/ready_times.h"
#include "analysis/stream_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Of one stream, whose operations come in the order of their issues.
class RankTiming {
 public:
  RankTiming(const StreamTable& table, const v1::ClockModel& clock);

  // Of operations of the stream. On a device nothing tells when a rank was
  // ready but a start that was observed: where it was not, when it called.
  Timing message(const AssembledOperation& op) const;
  // Of a collective of a group of the stream; absent where nothing says until
  // when at the latest the rank was ready.
  std::optional<Timing> collective(const AssembledOperation& op,
                                   std::uint32_t group) const;

  // The same operation has been timed. A message is of no group.
  static constexpr std::uint32_t kMessage = ~std::uint32_t{0};
  void done(const AssembledOperation& op, std::uint32_t group);

 private:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::min();

  // The collectives of one group.
  struct Engine {
    // Waits in its own collectives, and all others up to its last one.
    std::int64_t own_waits_ns = 0;
    std::int64_t other_waits_ns = 0;
    // When the last of its own ones was over that lasted to the end.
    std::int64_t released_ns = kNever;
  };
  // A wait that had not ended when the latest operation was issued.
  struct Wait {
    std::int64_t end_ns;
    std::int64_t ns;
    std::uint32_t group;
    bool to_the_end;
  };

  // On the common time line.
  std::int64_t clampedNs(std::int64_t own_ns) const;
  // Behind a call or a start at `ready_ns`, or later.
  Timing timed(const AssembledOperation& op, std::int64_t ready_ns) const;
  const ReadyTime& readyFor(const AssembledOperation& op) const;
  void countWaits(std::int64_t until_ns);
  void count(const Wait& wait);

  const StreamTable& table_;
  const v1::ClockModel& clock_;
  const std::vector<ReadyTime> ready_;
  // Per group of the stream.
  std::vector<Engine> engines_;
  std::vector<Wait> waits_;
  std::int64_t waits_ns_ = 0;
};

}  // namespace traced
