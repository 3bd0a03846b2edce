// RunFigures holds the compared numbers of one run, per kind of operation and
// in total.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/budget/gap.h"
#include "analysis/compare/run_part.h"

namespace traced {

// Identifies a kind of operation by names that are equal in all runs of one
// program.
struct RunKey {
  std::string op;
  // Identity of the group, see group_identity.h.
  std::string group;
  std::string dtype;
  std::string size;

  auto operator<=>(const RunKey&) const = default;
};

// A number for each part that was observed.
using PartValues = std::array<std::optional<double>, kRunParts>;

struct KeyFigures {
  // Counts and bytes per step over all ranks; times in ns per call.
  PartValues values;
  // From a call's return to the begin of its wait, ns per call: the time the
  // program uses for other work.
  std::optional<double> ahead_ns;
  // Maximum error of a wait for peers, ns per call.
  double uncertain_ns = 0;
  // How long others waited for each rank, ns per step.
  std::map<std::uint32_t, double> caused_ns;
  // From the end of a rank's last wait to its call, ns per call. Only for ranks
  // with recorded waits.
  std::map<std::uint32_t, double> computed_ns;
  // The most frequent call site; "" if unknown.
  std::string site;
};

struct RunFigures {
  // The name under which the run was passed.
  std::string name;
  // Must be equal in all runs.
  std::uint32_t world_size = 0;
  std::string steps;
  bool stepped = false;
  // The members of each role's groups (group_identity.h).
  std::map<std::string, std::string> layouts;
  // Name of the job, and its start by the wall clock (0: unknown).
  std::string job;
  std::int64_t started_realtime_ns = 0;
  // May differ between runs; differences are reported.
  std::map<std::string, std::string> facts;
  // Ids of its streams, to detect a run that is passed twice.
  std::vector<std::uint64_t> stream_ids;
  // Reasons why the run cannot be compared.
  std::vector<Gap> gaps;

  std::uint64_t step_count = 0;
  std::map<RunKey, KeyFigures> keys;
  // Times per step over all calls: the mean of its ranks.
  PartValues total;
  // Over all keys, ns per step.
  std::map<std::uint32_t, double> caused_ns;

  // Returns the duration of a rank's step in ns, or of the whole run if it has
  // no steps.
  double stepNs() const { return at(total, RunPart::kStep).value_or(0); }
  // Returns how often a rank makes this kind of call in a step: the mean of all
  // ranks.
  double callsOf(const KeyFigures& key) const;

  static const std::optional<double>& at(const PartValues& values,
                                         RunPart part) {
    return values[static_cast<std::size_t>(part)];
  }
};

}  // namespace traced
