#include "analysis/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/statistics/divisive.h"
#include "analysis/statistics/student_t.h"

namespace traced {
namespace {

using Values = absl::Span<const double>;
// Where segments begin, and the end of the last.
using Bounds = std::vector<std::size_t>;

// What is only likely may become certain when the segments beside it are whole:
// the first pass lets ten times as much chance through.
double firstPassP(double max_p) {
  if (max_p < 0.05) return 10 * max_p;
  return max_p < 0.5 ? 2 * max_p : max_p;
}

ChangePoint pointBetween(Values values, std::size_t from, std::size_t index,
                         std::size_t to) {
  ChangePoint point{index, 1, momentsOf(values.subspan(from, index - from)),
                    momentsOf(values.subspan(index, to - index))};
  point.p = tTestP(point.before, point.after);
  return point;
}

// E-divisive of one window: divides whichever segment divides best, as long as
// that is significant.
class WindowSearch {
 public:
  WindowSearch(Values window, double max_p) : window_(window), max_p_(max_p) {}

  // Without the ends.
  Bounds divide() {
    Bounds bounds = {0, window_.size()};
    while (true) {
      const std::size_t segment = bestSegment(bounds);
      if (segment == bounds.size()) break;
      const std::size_t from = bounds[segment], to = bounds[segment + 1];
      const std::size_t index = from + divisionOf(from, to)->index;
      if (pointBetween(window_, from, index, to).p > max_p_) break;
      bounds.insert(bounds.begin() + static_cast<std::ptrdiff_t>(segment) + 1,
                    index);
    }
    return {bounds.begin() + 1, bounds.end() - 1};
  }

 private:
  // Of equals the first; bounds.size() where none can be divided.
  std::size_t bestSegment(const Bounds& bounds) {
    std::size_t best = bounds.size();
    double qhat = 0;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto& division = divisionOf(bounds[i], bounds[i + 1]);
      if (!division || (best < bounds.size() && division->qhat <= qhat)) {
        continue;
      }
      best = i;
      qhat = division->qhat;
    }
    return best;
  }

  const std::optional<Division>& divisionOf(std::size_t from, std::size_t to) {
    const auto [place, is_new] = divisions_.try_emplace({from, to});
    if (is_new) place->second = bestDivision(window_.subspan(from, to - from));
    return place->second;
  }

  const Values window_;
  const double max_p_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<Division>>
      divisions_;
};

Bounds weakPoints(Values values, std::size_t window, double max_p) {
  Bounds points;
  const std::size_t step = window / 2;
  for (std::size_t start = 0; start < values.size();) {
    const Values seen = values.subspan(start, window);
    std::size_t last = 0;
    for (const std::size_t point : WindowSearch(seen, max_p).divide()) {
      last = start + point;
      points.push_back(last);
    }
    start = std::max(last, start + step);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

class Merging {
 public:
  Merging(Values values, const Bounds& weak) : values_(values) {
    for (const std::size_t index : weak) points_.push_back({index, 1, {}, {}});
    for (std::size_t i = 0; i < points_.size(); ++i) renew(i);
  }

  std::vector<ChangePoint> merge(const ChangePointSettings& settings) && {
    while (!points_.empty()) {
      auto weakest = std::max_element(
          points_.begin(), points_.end(),
          [](const auto& a, const auto& b) { return a.p < b.p; });
      if (weakest->p < settings.max_p) {
        weakest = std::min_element(points_.begin(), points_.end(),
                                   [](const auto& a, const auto& b) {
                                     return a.magnitude() < b.magnitude();
                                   });
        if (weakest->magnitude() > settings.min_magnitude) break;
      }
      const auto at = static_cast<std::size_t>(weakest - points_.begin());
      points_.erase(weakest);
      // Both neighbours lie beside a longer segment now.
      if (at > 0) renew(at - 1);
      if (at < points_.size()) renew(at);
    }
    return std::move(points_);
  }

 private:
  void renew(std::size_t i) {
    const std::size_t from = i == 0 ? 0 : points_[i - 1].index;
    const std::size_t to =
        i + 1 == points_.size() ? values_.size() : points_[i + 1].index;
    points_[i] = pointBetween(values_, from, points_[i].index, to);
  }

  const Values values_;
  std::vector<ChangePoint> points_;
};

}  // namespace

Moments momentsOf(Values values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / count), values.size()};
}

double tTestP(const Moments& left, const Moments& right) {
  const auto n = static_cast<double>(left.count);
  const auto m = static_cast<double>(right.count);
  const double df = n + m - 2;
  if (df < 1 || left.count == 0 || right.count == 0) return 1;
  const double pooled = ((n - 1) * left.deviation * left.deviation +
                         (m - 1) * right.deviation * right.deviation) /
                        df;
  const double t =
      (left.mean - right.mean) / std::sqrt(pooled * (1 / n + 1 / m));
  return studentP(t, df);
}

double ChangePoint::magnitude() const {
  const auto part = [](double of, double to) {
    return of == 0 ? 0 : std::abs(to / of - 1);
  };
  return std::max(part(before.mean, after.mean), part(after.mean, before.mean));
}

std::vector<ChangePoint> changePoints(Values values,
                                      const ChangePointSettings& settings) {
  const Bounds weak =
      weakPoints(values, std::max<std::size_t>(settings.window, 2),
                 firstPassP(settings.max_p));
  return Merging(values, weak).merge(settings);
}

}  // namespace traced
