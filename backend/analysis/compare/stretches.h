// Stretches cuts a run into its steps, or a long run into stretches of
// consecutive steps. A figure of a run is the median over its stretches, so a
// disturbed step has little effect.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/step_range.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class Stretches {
 public:
  // A run without marked steps is a single stretch.
  explicit Stretches(StepRange steps);

  // A step of one rank and its duration in ns.
  struct OwnStep {
    std::uint64_t number = 0;
    std::uint64_t ns = 0;
  };
  // Returns the steps of a rank whose begin and end are known. Without marked
  // steps, returns the time from its first operation to its last.
  std::vector<OwnStep> ownSteps(const StreamTable& table) const;
  // Adds the steps of one stream. Call once per stream.
  void add(const std::vector<OwnStep>& steps);

  bool stepped() const { return !steps_.all(); }
  // Returns the stretch of an operation, or nullopt if it is in none.
  std::optional<std::uint32_t> of(const StreamTable& table,
                                  const AssembledOperation& op) const;
  std::size_t count() const { return time_ns_.size(); }
  // Returns the number of distinct steps.
  std::uint64_t steps() const { return numbers_.size(); }
  // Returns the mean duration of a rank's step in the stretch, in ns.
  double stepNs(std::uint32_t stretch) const;
  // Returns the number of steps in a stretch, counted once per rank.
  double rankStepsOf(std::uint32_t stretch) const {
    return static_cast<double>(rank_steps_of_[stretch]);
  }
  // Returns the median of stepNs() over all stretches with steps.
  double medianStepNs() const;

 private:
  std::uint32_t stretchOf(std::uint64_t number) const;
  void addTime(std::uint32_t stretch, std::uint64_t ns);

  const StepRange steps_;
  // Number of steps per stretch.
  const std::uint64_t width_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> numbers_;
  std::vector<double> time_ns_;
  std::vector<std::uint64_t> rank_steps_of_;
};

}  // namespace traced
