// RunFigures is what is compared of one run: numbers per kind of operation, and
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

// What operations are told apart by: names that are equal in all runs of one
// program.
struct RunKey {
  std::string op;
  // What a group is: see group_identity.h.
  std::string group;
  std::string dtype;
  std::string size;

  auto operator<=>(const RunKey&) const = default;
};

// A number for each part that was observed.
using PartValues = std::array<std::optional<double>, kRunParts>;

struct KeyFigures {
  // Counts and bytes of a step of all ranks, times of a call in ns.
  PartValues values;
  // From the return of a call to the begin of its wait, ns of a call: what the
  // program does meanwhile.
  std::optional<double> ahead_ns;
  // By how much a wait for peers can be off, ns of a call.
  double uncertain_ns = 0;
  // How long others waited for each rank, ns of a step.
  std::map<std::uint32_t, double> caused_ns;
  // From the end of the last wait of each rank to its call, ns of a call; of
  // those that were seen to wait.
  std::map<std::uint32_t, double> computed_ns;
  // The line of the program that calls it most often; "" where none is known.
  std::string site;
};

struct RunFigures {
  // What it was given as.
  std::string name;
  // What it is, to be equal in all runs.
  std::uint32_t world_size = 0;
  std::string steps;
  bool stepped = false;
  // Who is in the groups of each role (group_identity.h).
  std::map<std::string, std::string> layouts;
  // What the run is called, and when it started (of the wall clock; 0: not
  // known).
  std::string job;
  std::int64_t started_realtime_ns = 0;
  // What may differ, and is told then.
  std::map<std::string, std::string> facts;
  // Of its streams, to find a run that is given twice.
  std::vector<std::uint64_t> stream_ids;
  // Why it cannot be compared with anything.
  std::vector<Gap> gaps;

  std::uint64_t step_count = 0;
  std::map<RunKey, KeyFigures> keys;
  // Times of a step, over all calls: the mean of its ranks.
  PartValues total;
  // Of all keys together.
  std::map<std::uint32_t, double> caused_ns;

  // A step of a rank, ns; of a run without steps all of it.
  double stepNs() const { return at(total, RunPart::kStep).value_or(0); }
  // How often a rank makes a call of a kind in a step.
  double callsOf(const KeyFigures& key) const;

  static const std::optional<double>& at(const PartValues& values,
                                         RunPart part) {
    return values[static_cast<std::size_t>(part)];
  }
};

}  // namespace traced
