// RankTiming tells when one rank was ready for its operations, how long they
// took, and how long it was held up by others meanwhile.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/diagnosis/timing.h"
#include "analysis/stream_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Of one stream, whose operations come in the order of their issues.
class RankTiming {
 public:
  RankTiming(const StreamTable& table, const v1::ClockModel& clock);

  // Of a message. On a device nothing tells when it was ready but its start.
  Timing message(const AssembledOperation& op, bool on_host) const;
  // Of a collective of a group of the stream.
  Timing collective(const AssembledOperation& op, std::uint32_t group,
                    bool on_host) const;

  // The same operation has been timed. A message is of no group.
  static constexpr std::uint32_t kMessage = ~std::uint32_t{0};
  void done(const AssembledOperation& op, std::uint32_t group);

 private:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::min();

  // What carries out the collectives of one group.
  struct Engine {
    // When the one before had ended, as far as that was seen.
    std::int64_t free_ns = kNever;
    // Until when one may have run whose end is only a late bound, or is not
    // known; and those that are known.
    std::int64_t unsure_until_ns = kNever;
    std::int64_t told_free_ns = kNever;
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
  Timing timed(const AssembledOperation& op, std::int64_t ready_ns) const;
  void endEngine(Engine& engine, const AssembledOperation& op) const;
  void countWaits(std::int64_t until_ns);
  void count(const Wait& wait);

  const v1::ClockModel& clock_;
  // Per group of the stream.
  std::vector<Engine> engines_;
  std::vector<Wait> waits_;
  std::int64_t waits_ns_ = 0;
};

}  // namespace traced
