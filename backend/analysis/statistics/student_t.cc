#include "analysis/statistics/student_t.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace traced {
namespace {

// Lentz's way to add up a continued fraction from its front, as Thompson and
// Barnett mended it (Journal of Computational Physics 64, 1986).
double betaFraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-15;
  constexpr int kMostTerms = 10'000;
  const auto notZero = [](double value) {
    return std::abs(value) < kTiny ? kTiny : value;
  };
  double c = 1;
  double d = 1 / notZero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / notZero(1 + even * d);
    c = notZero(1 + even / c);
    fraction *= c * d;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / notZero(1 + odd * d);
    c = notZero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return fraction;
}

// x^a (1-x)^b / (a B(a, b)).
double betaFront(double x, double rest, double a, double b) {
  return std::exp(a * std::log(x) + b * std::log(rest) + std::lgamma(a + b) -
                  std::lgamma(a) - std::lgamma(b)) /
         a;
}

}  // namespace

double studentP(double t, double df) {
  if (std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  if (t == 0) return 1;
  const double square = t * t;
  const double x = df / (df + square), rest = square / (df + square);
  const double a = df / 2, b = 0.5;
  // The fraction converges quickly on this side, the other is 1 minus that.
  if (x < (a + 1) / (a + b + 2)) {
    return betaFront(x, rest, a, b) * betaFraction(x, a, b);
  }
  return 1 - betaFront(rest, x, b, a) * betaFraction(rest, b, a);
}

double studentT(double p, double df) {
  double low = 0, high = 1;
  while (studentP(high, df) > p && high < 1e300) high *= 2;
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (studentP(middle, df) > p ? low : high) = middle;
  }
  return high;
}

}  // namespace traced
