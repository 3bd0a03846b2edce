// Every number that the judging of a history decides by, and where it is from.
// What it shares with the comparison of two sides is in
// analysis/compare/compare_limits.h.

#pragma once

#include <cstddef>

#include "analysis/compare/compare_limits.h"

namespace traced {

// Inputs have bounds. A line has at most 2000 keys of some 300 bytes, and names
// may be long.
inline constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostRunsOfHistory = 100'000;
inline constexpr std::size_t kMostNameBytes = 512;
inline constexpr std::size_t kMostFacts = 64;
// All runs together: keys beyond are left out and told.
inline constexpr std::size_t kMostKeysOfHistory = 20'000;

struct HistoryLimits {
  // How often a history in which nothing changes may say that something did,
  // and the smallest change that counts, as for a comparison.
  double alpha = CompareLimits{}.alpha;
  double floor = CompareLimits{}.floor;
  double least_share = CompareLimits{}.least_share;
  // How many runs E-divisive looks at together: Otava's default.
  std::size_t window = 50;
  // A change in so many of the latest runs is news. A choice: a month of
  // nightly runs.
  std::size_t newest = 30;
  // The largest p-value of a change point; 0: alpha, divided by the number of
  // tests.
  double max_p = 0;
};

// What stood for so many runs on both sides is no accident of one of them.
inline constexpr std::size_t kLeastRunsOfState = 2;

// So many standard errors beyond the least that is significant a change is
// found in 9 of 10 histories: the 90 % quantile of the normal distribution.
inline constexpr double kBeyondForNineOfTen = 1.2816;

}  // namespace traced
