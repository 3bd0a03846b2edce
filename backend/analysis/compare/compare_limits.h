// Every number that the comparison of runs decides by, and where it is from.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

struct CompareLimits {
  // How often a comparison in which nothing differs may say that something
  // does. The usual 5 % of tests of significance.
  double alpha = 0.05;
  // A change counts that certainly exceeds this part of the figure itself. A
  // choice: where code and memory happen to lie alone moves times by some
  // percent (Mytkowicz et al., "Producing wrong data without doing anything
  // obviously wrong", ASPLOS 2009), and that is nobody's fault.
  double floor = 0.03;
  // Of the interval of a change, the usual one that goes with `alpha`.
  double confidence = 0.95;
  // What takes less of a step is told as nothing: below a thousandth, no change
  // of it can make a step longer by what the floor calls one.
  double least_share = 0.001;
};

// Of a figure with an interval of half its width w, changes of the floor and
// this times w are found in 9 of 10 comparisons: the near end of the interval
// exceeds the floor unless the estimate is off by more than 1.28 standard
// errors (the 90 % quantile of the normal distribution), and w is 1.96 of them
// (the 97.5 % quantile).
inline constexpr double kFoundInNineOfTen = 1 + 1.2816 / 1.9600;

// A rank causes a change of waiting if at least this part of what was caused
// more is its: more than all others together. And one time is longer because
// of another that became longer by at least this part of what it did.
inline constexpr double kMaxShare = 0.5;

// Programs are others where the same operations of the same groups make up less
// than this part of the calls of either.
inline constexpr double kSameProgram = 0.5;

// Inputs have bounds. Exact distributions of rank statistics take time with the
// fourth power of the runs.
inline constexpr std::size_t kMaxRuns = 64;
// Steps beyond are taken together, keys beyond are left out and told.
inline constexpr std::size_t kMaxStretches = 4096;
inline constexpr std::size_t kMaxKeys = 2000;

}  // namespace traced
