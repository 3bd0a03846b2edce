#include "analysis/clocks/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/statistics/median.h"

namespace traced {
namespace {

constexpr std::size_t kMaxSegments = 64;
// Width of the interval of a segment bounded on one side only. Such a segment
// follows a step, so other segments do not bound it.
constexpr std::int64_t kAnything = std::int64_t{1} << 61;
constexpr std::size_t kMaxWindows = 1024;
constexpr std::int64_t kWindowNs = 250'000'000;
// A window's centre is averaged with this many neighbours on each side.
constexpr std::size_t kNeighbours = 2;

// offset = level + slope x (time since the segment began).
struct Line {
  std::int64_t begin_ns = 0;
  double level_ns = 0;
  double slope = 0;

  double at(std::int64_t ns) const {
    return level_ns + slope * static_cast<double>(ns - begin_ns);
  }
};

class SegmentFit {
 public:
  SegmentFit(const ClockSegment& segment, double max_slope)
      : segment_(segment) {
    const std::int64_t begin_ns = segment.certified.front().at_ns;
    duration_ns_ = segment.certified.back().at_ns - begin_ns;
    windows_ = std::clamp<std::size_t>(
        static_cast<std::size_t>(duration_ns_ / kWindowNs), 1, kMaxWindows);
    line_.begin_ns = begin_ns;
    fitLine(max_slope);
    fitCentres();
  }

  double slope() const { return line_.slope; }

  std::int64_t offsetAt(const CertifiedOffset& certified) const {
    const double offset = line_.at(certified.at_ns) + centreAt(certified.at_ns);
    return std::clamp(static_cast<std::int64_t>(std::llround(offset)),
                      certified.low_ns, certified.high_ns);
  }

 private:
  // The remaining offset from the line around an instant, and its weight.
  struct Centre {
    std::int64_t at_ns = 0;
    double off_ns = 0;
    double weight = 0;
  };

  std::size_t windowOf(std::int64_t at_ns) const {
    if (duration_ns_ == 0) return 0;
    const double part = static_cast<double>(at_ns - line_.begin_ns) /
                        static_cast<double>(duration_ns_);
    return std::min(
        static_cast<std::size_t>(part * static_cast<double>(windows_)),
        windows_ - 1);
  }

  // Returns the narrowest certified offset of each window.
  std::vector<CertifiedOffset> narrowest() const {
    std::vector<CertifiedOffset> places;
    std::size_t last = windows_;
    for (const CertifiedOffset& certified : segment_.certified) {
      const std::size_t window = windowOf(certified.at_ns);
      if (window != last) {
        places.push_back(certified);
      } else if (certified.width() < places.back().width()) {
        places.back() = certified;
      }
      last = window;
    }
    return places;
  }

  // Fits a line by medians, so that a few wide windows have little effect.
  void fitLine(double max_slope) {
    const std::vector<CertifiedOffset> places = narrowest();
    std::vector<double> slopes, levels;
    const std::size_t half = places.size() / 2;
    for (std::size_t i = 0; half > 0 && i + half < places.size(); ++i) {
      const CertifiedOffset& a = places[i];
      const CertifiedOffset& b = places[i + half];
      if (b.at_ns == a.at_ns) continue;
      slopes.push_back(static_cast<double>(b.centre() - a.centre()) /
                       static_cast<double>(b.at_ns - a.at_ns));
    }
    if (!slopes.empty()) {
      line_.slope =
          std::clamp(upperMedian(std::move(slopes)), -max_slope, max_slope);
    }
    for (const CertifiedOffset& place : places) {
      levels.push_back(static_cast<double>(place.centre()) -
                       line_.at(place.at_ns));
    }
    line_.level_ns = upperMedian(std::move(levels));
  }

  // Finds the centre of each window from its bounds. With the line subtracted,
  // all bounds of a window limit one number.
  void fitCentres() {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    std::vector<double> low(windows_, -kNone), high(windows_, kNone);
    for (const ClockBound& bound : segment_.bounds) {
      const double off =
          static_cast<double>(bound.offset_ns) - line_.at(bound.at_ns);
      const std::size_t window = windowOf(bound.at_ns);
      if (bound.is_upper) {
        high[window] = std::min(high[window], off);
      } else {
        low[window] = std::max(low[window], off);
      }
    }
    std::vector<Centre> centres;
    const double window_ns =
        static_cast<double>(duration_ns_) / static_cast<double>(windows_);
    for (std::size_t i = 0; i < windows_; ++i) {
      if (low[i] == -kNone || high[i] == kNone) continue;
      const double room = std::abs(high[i] - low[i]) + 1'000;
      centres.push_back(
          {line_.begin_ns +
               std::llround((static_cast<double>(i) + 0.5) * window_ns),
           (low[i] + high[i]) / 2, 1 / (room * room)});
    }
    smooth(centres);
  }

  void smooth(const std::vector<Centre>& centres) {
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const std::size_t begin = i - std::min(i, kNeighbours);
      const std::size_t end = std::min(i + kNeighbours + 1, centres.size());
      double sum = 0, weights = 0;
      for (std::size_t j = begin; j < end; ++j) {
        sum += centres[j].off_ns * centres[j].weight;
        weights += centres[j].weight;
      }
      centres_.push_back({centres[i].at_ns, sum / weights, weights});
    }
  }

  double centreAt(std::int64_t at_ns) const {
    if (centres_.empty()) return 0;
    const auto right =
        std::lower_bound(centres_.begin(), centres_.end(), at_ns,
                         [](const Centre& centre, std::int64_t ns) {
                           return centre.at_ns < ns;
                         });
    if (right == centres_.begin()) return centres_.front().off_ns;
    if (right == centres_.end()) return centres_.back().off_ns;
    const Centre& left = *(right - 1);
    const double part = static_cast<double>(at_ns - left.at_ns) /
                        static_cast<double>(right->at_ns - left.at_ns);
    return left.off_ns + part * (right->off_ns - left.off_ns);
  }

  const ClockSegment& segment_;
  std::int64_t duration_ns_ = 0;
  std::size_t windows_ = 1;
  Line line_;
  std::vector<Centre> centres_;
};

// Keeps the narrowest offset of each of `parts` equal intervals, plus the first
// and the last. Keeps one offset per instant.
std::vector<CertifiedOffset> thinOut(
    const std::vector<CertifiedOffset>& certified, std::size_t parts) {
  const std::int64_t begin_ns = certified.front().at_ns;
  const std::int64_t part_ns =
      (certified.back().at_ns - begin_ns) / static_cast<std::int64_t>(parts) +
      1;
  std::vector<CertifiedOffset> kept;
  for (const CertifiedOffset& next : certified) {
    const bool distinct = kept.empty() || next.at_ns != kept.back().at_ns;
    const bool same_part =
        kept.size() > 1 && (next.at_ns - begin_ns) / part_ns ==
                               (kept.back().at_ns - begin_ns) / part_ns;
    if (distinct && !(same_part && certified.size() > parts)) {
      kept.push_back(next);
    } else if (next.width() < kept.back().width()) {
      kept.back() = next;
    }
  }
  const CertifiedOffset& last = certified.back();
  if (kept.back().at_ns != last.at_ns) kept.push_back(last);
  return kept;
}

std::vector<const ClockSegment*> longest(
    absl::Span<const ClockSegment> segments) {
  const auto length = [](const ClockSegment* segment) {
    return segment->bounds.back().at_ns - segment->bounds.front().at_ns;
  };
  std::vector<const ClockSegment*> kept;
  for (const ClockSegment& segment : segments) kept.push_back(&segment);
  if (kept.size() <= kMaxSegments) return kept;
  std::nth_element(kept.begin(), kept.begin() + kMaxSegments, kept.end(),
                   [&](const ClockSegment* a, const ClockSegment* b) {
                     return length(a) > length(b);
                   });
  kept.resize(kMaxSegments);
  std::sort(kept.begin(), kept.end());  // segments are in order of time
  return kept;
}

}  // namespace

void fitClock(absl::Span<const ClockSegment> segments,
              std::uint64_t max_drift_ppb, std::size_t max_knots,
              v1::ClockModel& model) {
  const std::vector<const ClockSegment*> kept = longest(segments);
  const std::size_t knots_each = std::max<std::size_t>(
      max_knots / std::max<std::size_t>(kept.size(), 1), 2);
  const double max_slope = static_cast<double>(max_drift_ppb) / 1e9;
  for (const ClockSegment* segment : kept) {
    bool first = model.knot_size() > 0;
    const auto add = [&](std::int64_t at_ns, std::int64_t offset_ns,
                         std::int64_t low_ns, std::int64_t high_ns) {
      const int knots = model.knot_size();
      if (knots > 0 && at_ns <= model.knot(knots - 1).monotonic_ns()) return;
      v1::ClockKnot& knot = *model.add_knot();
      knot.set_monotonic_ns(at_ns);
      knot.set_offset_ns(offset_ns);
      knot.set_below_ns(static_cast<std::uint64_t>(offset_ns - low_ns));
      knot.set_above_ns(static_cast<std::uint64_t>(high_ns - offset_ns));
      knot.set_starts_segment(std::exchange(first, false));
    };
    if (segment->certified.empty()) {
      const ClockBound& bound = segment->bounds.front();
      add(bound.at_ns, bound.offset_ns, bound.offset_ns - kAnything,
          bound.offset_ns + kAnything);
      continue;
    }
    const SegmentFit fit(*segment, max_slope);
    for (const CertifiedOffset& certified :
         thinOut(segment->certified, knots_each)) {
      add(certified.at_ns, fit.offsetAt(certified), certified.low_ns,
          certified.high_ns);
    }
    model.set_rate_ppb(std::llround(fit.slope() * 1e9));
  }
  if (model.knot_size() == 0) return;
  model.set_offset_ns(model.knot(0).offset_ns());
  model.set_max_drift_ppb(max_drift_ppb);
}

}  // namespace traced
