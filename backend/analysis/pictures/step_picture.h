// StepPictureBuilder makes a StepPicture: how the time of steps was spent. Not
// thread safe.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/job/step_windows.h"
#include "analysis/pictures/pictures.h"
#include "analysis/time_split/rank_time.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

using StepEntries = std::map<std::uint64_t, StepTimes>;

class StepPictureBuilder {
 public:
  // Beyond it, entries combine several steps.
  static constexpr std::size_t kMaxEntries = 65536;
  // Number of intervals of a run without steps.
  static constexpr std::size_t kStretches = 60;

  // Without steps, the interval from `first_ns` to `last_ns` of common time is
  // divided evenly.
  StepPictureBuilder(bool by_step, std::int64_t first_ns, std::int64_t last_ns);

  // Adds a stream. `marked`: its stepWindows(). `time` has all its operations
  // and is finished.
  void add(const ReadyTable::Stream& stream,
           const std::vector<StepWindow>& marked, const RankTime& time);
  // Adds the result of another builder with the same arguments.
  void add(const StepPictureBuilder& other);

  StepPicture finish() &&;

 private:
  // Returns the parts of the even intervals that a stream covers.
  std::vector<StepWindow> intervalsOf(const ReadyTable::Stream& stream) const;
  StepTimes& entryOf(std::uint64_t number);

  StepPicture picture_;
  const std::int64_t first_ns_;
  // By step number shifted right by `shift_`.
  unsigned shift_ = 0;
  StepEntries entries_;
};

}  // namespace traced
