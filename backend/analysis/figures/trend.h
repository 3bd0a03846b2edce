// Trend tells whether a time became another one in the course of a run.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/figures/histogram.h"

namespace traced {

class Trend {
 public:
  // Into how many windows of equal length a run is cut.
  static constexpr std::size_t kWindows = 16;

  void add(std::size_t window, std::uint64_t ns) { windows_[window].add(ns); }
  void add(const Trend& other) {
    for (std::size_t i = 0; i < kWindows; ++i) {
      windows_[i].add(other.windows_[i]);
    }
  }

  // From window `since` on the median is `after_ns`, and before it was
  // `before_ns`.
  struct Change {
    std::size_t since = 0;
    std::uint64_t before_ns = 0;
    std::uint64_t after_ns = 0;
  };

  // The first place where all windows behind it have a median at least a
  // quarter above that of every window before it. On each side there are at
  // least three windows with ten values each.
  std::optional<Change> degraded() const;

 private:
  std::array<Histogram, kWindows> windows_;
};

}  // namespace traced
