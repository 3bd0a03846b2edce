// Student's distribution, for t-tests.

#pragma once

namespace traced {

// How often |t| of `df` degrees of freedom (above 0) is at least as large by
// chance: the regularised incomplete beta function I(df / (df + t^2); df / 2,
// 1/2), by its continued fraction (NIST's Digital Library of Mathematical
// Functions, 26.5.8 of Abramowitz and Stegun, 8.17.22 of the library). 0 of an
// infinite t, 1 of one that is no number.
double studentP(double t, double df);

// The t that is exceeded, on both sides together, in so many cases: the inverse
// of studentP(), for p in (0, 1).
double studentT(double p, double df);

}  // namespace traced
