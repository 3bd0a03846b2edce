// Stretches cuts a run into its steps, or, of very many, into as many steps
// that follow each other: a figure of a run is the median over them, which a
// step that was disturbed does not move.

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
  // Of a run whose steps are not marked there is one: all of it.
  explicit Stretches(StepRange steps);

  // A step of one rank, and how long it took, ns.
  struct OwnStep {
    std::uint64_t number = 0;
    std::uint64_t ns = 0;
  };
  // A rank's own steps, as far as both ends of them are known; of a run whose
  // steps are not marked the time from its first operation to its last.
  std::vector<OwnStep> ownSteps(const StreamTable& table) const;
  // Takes them, once for each stream.
  void add(const std::vector<OwnStep>& steps);

  bool stepped() const { return !steps_.all(); }
  // The stretch of an operation; absent where it is in none.
  std::optional<std::uint32_t> of(const StreamTable& table,
                                  const AssembledOperation& op) const;
  std::size_t count() const { return time_ns_.size(); }
  // How many steps they are, of one rank.
  std::uint64_t steps() const { return numbers_.size(); }
  // The mean step of a rank of a stretch, ns.
  double stepNs(std::uint32_t stretch) const;
  double rankStepsOf(std::uint32_t stretch) const {
    return static_cast<double>(rank_steps_of_[stretch]);
  }
  // The median of them.
  double medianStepNs() const;

 private:
  std::uint32_t stretchOf(std::uint64_t number) const;
  void addTime(std::uint32_t stretch, std::uint64_t ns);

  const StepRange steps_;
  // How many numbers share a stretch.
  const std::uint64_t width_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> numbers_;
  std::vector<double> time_ns_;
  std::vector<std::uint64_t> rank_steps_of_;
};

}  // namespace traced
