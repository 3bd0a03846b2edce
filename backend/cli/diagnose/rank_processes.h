// What the processes of a job's ranks on this host do, from look to look.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/diagnosis/telling/facts/endings.h"
#include "cli/diagnose/process_activity.h"
#include "ring_io/recovery/live_rings.h"

namespace traced {

class RankProcesses {
 public:
  // Looks at those that lived when their rings were read.
  void look(const std::vector<RingReading>& rings);
  // Whether a rank may join by itself: its process does something, or was
  // looked at once, so that what it does is not known yet.
  bool mayJoin(std::uint32_t rank) const;
  // Absent where nothing is known of its process.
  std::optional<ProcessNow> now(std::uint32_t rank) const;

 private:
  struct Seen {
    std::int64_t pid = 0;
    ProcessLook look;
  };

  ProcessActivity processes_;
  std::map<std::uint32_t, Seen> seen_;
};

}  // namespace traced
