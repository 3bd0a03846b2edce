// Thresholds of the comparison of runs, and their origin.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

struct CompareLimits {
  // Probability that a comparison reports a change although nothing differs.
  // The usual 5 % of significance tests.
  double alpha = 0.05;
  // A change counts if it certainly exceeds this part of the figure. A choice:
  // the placement of code and memory alone moves times by some percent
  // (Mytkowicz et al., "Producing wrong data without doing anything obviously
  // wrong", ASPLOS 2009).
  double floor = 0.03;
  // Confidence of the interval of a change; the usual complement of `alpha`.
  double confidence = 0.95;
  // Parts below this share of a step are not tested: no change of a part below
  // a thousandth can lengthen a step by more than the floor.
  double least_share = 0.001;
};

// A change of the floor plus this many half-widths w of the interval is found
// in 9 of 10 comparisons. The near end of the interval then exceeds the floor,
// unless the estimate is off by more than 1.28 standard errors. That is the 90
// % quantile of the normal distribution; w is 1.96 standard errors, the 97.5 %
// quantile.
inline constexpr double kFoundInNineOfTen = 1 + 1.2816 / 1.9600;

// A rank is the culprit if it caused more than this part of the additional
// waiting. One time explains another if it grew by at least this part of the
// other's growth.
inline constexpr double kMaxShare = 0.5;

// Two programs are the same if their common operations and groups make up at
// least this part of the calls of each.
inline constexpr double kSameProgram = 0.5;

// Limit on the runs of a side: exact rank distributions take time with the
// fourth power of the runs.
inline constexpr std::size_t kMaxRuns = 64;
// Limit on stretches; further steps share a stretch. Limit on keys; further
// keys are left out and reported.
inline constexpr std::size_t kMaxStretches = 4096;
inline constexpr std::size_t kMaxKeys = 2000;

}  // namespace traced
