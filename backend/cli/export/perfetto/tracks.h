// Tracks describes processes, tracks and counters, and numbers them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/slices.h"
#include "cli/export/perfetto/sequence.h"

namespace traced::perfetto {

// Several tracks that are shown as one: a track per lane.
class LanedTrack {
 public:
  std::uint64_t lane(std::uint32_t lane) const { return uuids_[lane]; }

 private:
  friend class Tracks;
  std::vector<std::uint64_t> uuids_;
};

class Tracks {
 public:
  // Processes come in the order of their pids, as far as the page heeds that.
  void orderProcesses(Sequence& to);
  std::uint64_t addProcess(Sequence& to, std::int32_t pid,
                           const std::string& name, const std::string& label);
  // `place`: among those of the process.
  LanedTrack addTrack(Sequence& to, std::uint64_t process, std::int32_t place,
                      const std::string& name, std::uint32_t lanes,
                      const std::string& description = "");
  // A track with these slices, unless there are none.
  void writeTrack(Sequence& to, std::uint64_t process, std::int32_t place,
                  const std::string& name,
                  const std::vector<NamedSlice>& slices);
  std::uint64_t addCounter(Sequence& to, std::uint64_t process,
                           std::int32_t place, const std::string& name,
                           std::uint64_t unit);

 private:
  std::uint64_t next_ = 1;
};

}  // namespace traced::perfetto
