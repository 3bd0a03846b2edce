// Change points of a series, as Hunter and Apache Otava find them: E-divisive
// in windows that overlap, with a t-test instead of permutations; then what is
// not significant between whole segments is merged away (Fleming et al.,
// "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
// ICPE 2023). tests/exports/test_otava.py holds it against Otava.

#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace traced {

struct ChangePointSettings {
  // How many values E-divisive looks at together, at least 2; windows overlap
  // by half.
  std::size_t window = 50;
  // The largest p-value of a change point.
  double max_p = 0.001;
  // A change of the mean by less than this part of it is none.
  double min_magnitude = 0;
};

// Mean and standard deviation of some values. The deviation is that of the
// population, as Otava has it.
struct Moments {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;
};

Moments momentsOf(absl::Span<const double> values);

// Of Student's t-test of two samples of one variance. 1 where they are equal,
// or together less than three values.
double tTestP(const Moments& left, const Moments& right);

struct ChangePoint {
  // The first value of what is new.
  std::size_t index = 0;
  double p = 1;
  // From the change before to this one, and from there to the next.
  Moments before, after;

  // The change of the mean as a part of what was or of what is, whichever is
  // more; 0 where that is 0.
  double magnitude() const;
};

std::vector<ChangePoint> changePoints(absl::Span<const double> values,
                                      const ChangePointSettings& settings);

}  // namespace traced
