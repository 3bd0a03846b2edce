#include "analysis/clocks/clock_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
  // Returns whether `a` implies `b`.
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

namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

// Interval holds the offsets that all bounds added so far allow, widened by
// drift from one bound to the next.
class Interval {
 public:
  explicit Interval(std::uint64_t max_drift_ppb)
      : max_drift_ppb_(max_drift_ppb) {}

  // Returns false if the bound contradicts earlier ones.
  bool add(const ClockBound& bound) {
    const std::int64_t drift = driftNs(bound.at_ns - at_ns_, max_drift_ppb_);
    if (high_ != kUnbounded) high_ += drift;
    if (low_ != -kUnbounded) low_ -= drift;
    at_ns_ = bound.at_ns;
    if (bound.is_upper) {
      high_ = std::min(high_, bound.offset_ns);
    } else {
      low_ = std::max(low_, bound.offset_ns);
    }
    return low_ <= high_;
  }

  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }

 private:
  std::uint64_t max_drift_ppb_;
  std::int64_t at_ns_ = 0;
  std::int64_t low_ = -kUnbounded;
  std::int64_t high_ = kUnbounded;
};

std::vector<CertifiedOffset> certify(absl::Span<const ClockBound> bounds,
                                     std::uint64_t max_drift_ppb) {
  std::vector<CertifiedOffset> certified;
  certified.reserve(bounds.size());
  Interval before(max_drift_ppb);
  for (const ClockBound& bound : bounds) {
    before.add(bound);
    certified.push_back({bound.at_ns, before.low(), before.high()});
  }
  Interval behind(max_drift_ppb);
  for (std::size_t i = bounds.size(); i-- > 0;) {
    behind.add(bounds[i]);
    certified[i].low_ns = std::max(certified[i].low_ns, behind.low());
    certified[i].high_ns = std::min(certified[i].high_ns, behind.high());
  }
  return certified;
}

void addSegment(std::vector<ClockSegment>& segments,
                absl::Span<const ClockBound> bounds,
                std::uint64_t max_drift_ppb) {
  const auto isUpper = [](const ClockBound& bound) { return bound.is_upper; };
  const bool two_sided = std::any_of(bounds.begin(), bounds.end(), isUpper) &&
                         !std::all_of(bounds.begin(), bounds.end(), isUpper);
  if (!two_sided) {
    segments.push_back({{bounds.begin(), bounds.end()}, {}});
    return;
  }
  segments.push_back(
      {{bounds.begin(), bounds.end()}, certify(bounds, max_drift_ppb)});
}

// Returns the last bound before `contradicted` that is inconsistent with it and
// all bounds in between. The step is after the returned bound.
std::size_t lastBeforeStep(absl::Span<const ClockBound> bounds,
                           std::size_t contradicted,
                           std::uint64_t max_drift_ppb) {
  Interval interval(max_drift_ppb);
  for (std::size_t i = contradicted + 1; i-- > 0;) {
    if (!interval.add(bounds[i])) return i;
  }
  return 0;
}

}  // namespace

std::vector<ClockSegment> segmentBounds(absl::Span<const ClockBound> bounds,
                                        std::uint64_t max_drift_ppb) {
  std::vector<ClockSegment> segments;
  std::size_t begin = 0;
  Interval interval(max_drift_ppb);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (interval.add(bounds[i])) continue;
    const std::size_t last =
        begin + lastBeforeStep(bounds.subspan(begin), i - begin, max_drift_ppb);
    addSegment(segments, bounds.subspan(begin, last + 1 - begin),
               max_drift_ppb);
    begin = i;
    interval = Interval(max_drift_ppb);
    interval.add(bounds[i]);
  }
  if (!bounds.empty()) {
    addSegment(segments, bounds.subspan(begin), max_drift_ppb);
  }
  return segments;
}

}  // namespace traced
