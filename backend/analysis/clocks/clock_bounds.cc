#include "analysis/clocks/clock_bounds.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace traced {
namespace {

constexpr std::int64_t kSpanNs = 64'000'000;

}  // namespace

bool areWeighed(std::int64_t a_ns, std::int64_t b_ns) {
  return a_ns / kSpanNs == b_ns / kSpanNs;
}

std::int64_t driftNs(std::int64_t distance_ns, std::uint64_t max_drift_ppb) {
  return static_cast<std::int64_t>(
      std::ceil(std::abs(static_cast<double>(distance_ns)) *
                static_cast<double>(max_drift_ppb) / 1e9));
}

void ClockBounds::addUpper(std::int64_t at_ns, std::int64_t offset_ns) {
  add(upper_, {at_ns, offset_ns, true});
}

void ClockBounds::addLower(std::int64_t at_ns, std::int64_t offset_ns) {
  add(lower_, {at_ns, offset_ns, false});
}

void ClockBounds::add(std::vector<ClockBound>& kept, const ClockBound& bound) {
  // Whether `a` implies `b`.
  const auto implies = [this](const ClockBound& a, const ClockBound& b) {
    if (!areWeighed(a.at_ns, b.at_ns)) return false;
    const std::int64_t drift = driftNs(b.at_ns - a.at_ns, max_drift_ppb_);
    return a.is_upper ? a.offset_ns + drift <= b.offset_ns
                      : a.offset_ns - drift >= b.offset_ns;
  };
  if (!kept.empty() && implies(kept.back(), bound)) return;
  while (!kept.empty() && implies(bound, kept.back())) kept.pop_back();
  kept.push_back(bound);
}

std::vector<ClockBound> ClockBounds::sorted() const {
  std::vector<ClockBound> all = upper_;
  all.insert(all.end(), lower_.begin(), lower_.end());
  std::sort(all.begin(), all.end(),
            [](const ClockBound& a, const ClockBound& b) {
              return std::tuple(a.at_ns, a.is_upper, a.offset_ns) <
                     std::tuple(b.at_ns, b.is_upper, b.offset_ns);
            });
  return all;
}

}  // namespace traced
