// Prepares the figures of one key, or of the total, in all runs of both sides
// for comparison.

#pragma once

#include <optional>
#include <vector>

#include "analysis/compare/comparison.h"

namespace traced {

using Runs = std::vector<RunFigures>;

// Returns the figures of a key in a run, or of the total without a key. Returns
// nullptr if the run lacks the key.
const PartValues* valuesOf(const RunFigures& run,
                           const std::optional<RunKey>& key);

// Returns the median step duration of the runs, in ns.
double stepOf(const Runs& runs);
// Returns how often a rank makes this kind of call in a step; 1 for the total.
double callsOf(const Runs& runs, const std::optional<RunKey>& key);

// Returns all parts that every run has, with values, medians and share, but
// without a verdict. Parts that only some runs have are added to `notes`.
std::vector<Change> changesOf(const std::optional<RunKey>& key,
                              const Runs& base, const Runs& fresh,
                              const CompareLimits& limits,
                              std::vector<Remark>& notes);

// Returns the smallest value of a part that counts, in its unit (ns per call
// for times). Smaller values are treated as this one. For times it corresponds
// to CompareLimits::least_share of a step. For waits for peers it is at least
// the uncertainty of the clocks. Parts that are no times have a tiny value,
// because a logarithm needs a positive one.
double leastValue(RunPart part, const std::optional<RunKey>& key,
                  const Runs& base, const Runs& fresh,
                  const CompareLimits& limits);

}  // namespace traced
