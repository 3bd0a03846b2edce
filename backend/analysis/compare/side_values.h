// The figures of one key, or of the total, in all runs of both sides, made
// ready to be compared.

#pragma once

#include <optional>
#include <vector>

#include "analysis/compare/comparison.h"

namespace traced {

using Runs = std::vector<RunFigures>;

// The figures of a key in a run, or of the total without one; nullptr where the
// run has none.
const PartValues* valuesOf(const RunFigures& run,
                           const std::optional<RunKey>& key);

// The median step of some runs, ns.
double stepOf(const Runs& runs);
// How often a rank makes a call of the kind in a step; 1 of the total.
double callsOf(const Runs& runs, const std::optional<RunKey>& key);

// All parts that every run has: values, medians, share; not yet judged. What
// some runs have and others have not is named in `notes`.
std::vector<Change> changesOf(const std::optional<RunKey>& key,
                              const Runs& base, const Runs& fresh,
                              const CompareLimits& limits,
                              std::vector<Remark>& notes);

// Of values that count as nothing when they are below this, which is known of
// no part better: a thousandth of a step, and what clocks leave open.
double leastValue(RunPart part, const std::optional<RunKey>& key,
                  const Runs& base, const Runs& fresh,
                  const CompareLimits& limits);

}  // namespace traced
