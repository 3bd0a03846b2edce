// E-divisive: where a series of values divides into two whose distributions
// differ most, by the energy distance between them (Matteson and James, "A
// Nonparametric Approach for Multiple Change Point Analysis of Multivariate
// Data", Journal of the American Statistical Association 109, 2014; distances
// to the power of 1).

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace traced {

struct Division {
  // The first value behind it.
  std::size_t index = 0;
  double qhat = 0;
};

// The division t of the first u values that has the largest
//   Q(t, u) = 2/u S(X, Y) - 2/u (u-t)/(t-1) S(X) - 2/u t/(u-t-1) S(Y)
// where X is what comes before t, Y what comes from there to u, and S adds up
// the distances of all pairs. Of equals the earliest. Absent of less than two
// values. Takes time with the square of the values.
std::optional<Division> bestDivision(absl::Span<const double> values);

}  // namespace traced
