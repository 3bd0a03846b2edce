// Adds up the time splits of many operations.

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

// Trend detects whether a time increased in the course of a run.
class Trend {
 public:
  // Number of equal time windows of a run.
  static constexpr std::size_t kWindows = 16;

  // Adds a time of the operations in `window`, which must be below kWindows.
  void add(std::size_t window, std::uint64_t ns) { windows_[window].add(ns); }
  void add(const Trend& other) {
    for (std::size_t i = 0; i < kWindows; ++i) {
      windows_[i].add(other.windows_[i]);
    }
  }

  // The median is `after_ns` from window `since` on, and `before_ns` before it.
  struct Change {
    std::size_t since = 0;
    std::uint64_t before_ns = 0;
    std::uint64_t after_ns = 0;
  };

  // Returns the first change after which each window has a median at least a
  // quarter above that of every window before. Each side needs at least three
  // windows of ten values each.
  std::optional<Change> degraded() const;

 private:
  std::array<Histogram, kWindows> windows_;
};

// Sums over operations, and how many could not be split.
struct SplitSums {
  TimeSum wait_for_peers;
  TimeSum transfer;
  TimeSum exposed;
  TimeSum slack;
  // Maximum error of the sum of waits.
  std::uint64_t wait_uncertain_ns = 0;
  // Number of operations whose last rank is certain. `last` covers those where
  // it was one of this row's ranks, with the time it was behind.
  std::uint64_t ready_times = 0;
  TimeSum last;
  // Number of operations without a transfer time.
  std::uint64_t withheld = 0;

  void add(const OperationSplit& split);
  void add(const SplitSums& other);
};

// How often one rank was last.
struct Lateness {
  std::uint64_t ready_times = 0;
  Histogram behind_ns;  // over the operations in which it was last

  std::uint64_t last() const { return behind_ns.count(); }

  void add(const OperationSplit::ReadyOrder& ready) {
    ++ready_times;
    if (ready.is_last) behind_ns.add(ready.behind_ns);
  }
};

class SplitTotals {
 public:
  // Adds everything except the lateness of ranks. Bandwidths need positive
  // `message_bytes` and `bus_factor`. `window` is absent if the operation
  // belongs to no window.
  void add(const OperationSplit& split, std::optional<std::size_t> window,
           double message_bytes, double bus_factor);
  // Returns the entry of a rank. The reference is valid until another rank is
  // requested.
  Lateness& latenessOf(std::uint32_t rank) { return ranks_[rank]; }
  void add(const SplitTotals& other);

  // Internal representation, without the ranks.
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
  // Return median bus bandwidths in 1e9 bytes per second, over the transfer
  // time and over the time from ready to end. Return nullopt if no operation
  // has one.
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
