// Time splits of many operations, added up.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/figures/histogram.h"
#include "analysis/figures/samples.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/time_split/time_split.h"

namespace traced {

// Trend tells whether a time became another one in the course of a run.
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

// Sums over operations, and which of them could not be split.
struct SplitSums {
  TimeSum wait_for_peers;
  TimeSum transfer;
  TimeSum exposed;
  TimeSum slack;
  // By how much the sum of the waits can be off.
  std::uint64_t wait_uncertain_ns = 0;
  // Operations where it is certain who was ready last, and in how many of them
  // this was a rank looked at, and by how much in all.
  std::uint64_t ready_times = 0;
  TimeSum last;
  // Operations without a wait for peers or without a transfer time.
  std::uint64_t withheld = 0;

  void add(const OperationSplit& split);
  void add(const SplitSums& other);
};

// How often one rank was the last.
struct Lateness {
  std::uint64_t ready_times = 0;
  Histogram behind_ns;  // of those where it was

  std::uint64_t last() const { return behind_ns.count(); }

  void add(const OperationSplit::Arrival& ready) {
    ++ready_times;
    if (ready.is_last) behind_ns.add(ready.behind_ns);
  }
};

class SplitTotals {
 public:
  // All but the arrival. Bandwidth is only had where `message_bytes` and
  // `bus_factor` are positive.
  void add(const OperationSplit& split, std::optional<std::size_t> window,
           double message_bytes, double bus_factor);
  // Of a rank that arrived; stays where it is until another rank is asked for.
  Lateness& latenessOf(std::uint32_t rank) { return ranks_[rank]; }
  void add(const SplitTotals& other);

  // What it is made of, but for the ranks.
  struct Parts {
    CertifiedTimes wait_for_peers;
    CertifiedTimes transfer;
    Histogram transfer_bandwidth;  // bytes per second
    Histogram ready_bandwidth;
    Trend transfer_trend;
    Trend wait_trend;
  };
  SplitTotals() = default;
  explicit SplitTotals(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  const CertifiedTimes& waitForPeers() const { return parts_.wait_for_peers; }
  const CertifiedTimes& transfer() const { return parts_.transfer; }
  // Medians, in 1e9 bytes per second; absent when no operation has one. Over
  // transfer time, and from being ready to the end.
  std::optional<double> transferBusbwGbs() const;
  std::optional<double> readyBusbwGbs() const;
  const absl::btree_map<std::uint32_t, Lateness>& ranks() const {
    return ranks_;
  }
  std::optional<Trend::Change> transferDegraded() const {
    return parts_.transfer_trend.degraded();
  }
  std::optional<Trend::Change> waitDegraded() const {
    return parts_.wait_trend.degraded();
  }

 private:
  Parts parts_;
  absl::btree_map<std::uint32_t, Lateness> ranks_;
};

}  // namespace traced
