#include "analysis/time_split/split_totals.h"

#include <algorithm>
#include <limits>

namespace traced {
namespace {

constexpr std::uint64_t kMin = 10;
constexpr std::size_t kMinWindows = 3;

// Summary of the windows on one side of a change.
struct Side {
  Histogram all;
  std::size_t windows = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  void add(const Histogram& window) {
    if (window.count() < kMin) return;
    const std::uint64_t median = window.percentile(50);
    all.add(window);
    ++windows;
    least = std::min(least, median);
    most = std::max(most, median);
  }
};

}  // namespace

std::optional<Trend::Change> Trend::degraded() const {
  for (std::size_t since = 1; since < kWindows; ++since) {
    if (windows_[since].count() < kMin) continue;
    Side before, after;
    for (std::size_t i = 0; i < kWindows; ++i) {
      (i < since ? before : after).add(windows_[i]);
    }
    if (before.windows < kMinWindows || after.windows < kMinWindows) {
      continue;
    }
    if (after.least >= before.most + before.most / 4 && before.most > 0) {
      return Change{since, before.all.percentile(50), after.all.percentile(50)};
    }
  }
  return std::nullopt;
}

namespace {

void addSpeed(Histogram& bandwidths, double bytes, std::uint64_t ns) {
  // Upper bound, in bytes per second. Faster values are measurement errors.
  constexpr double kMax = 1e18;
  if (ns == 0 || bytes <= 0) return;
  const double speed = std::min(bytes * 1e9 / static_cast<double>(ns), kMax);
  // Rounds to nearest without the function call of llround().
  const auto below = static_cast<std::uint64_t>(speed);
  bandwidths.add(below + (speed - static_cast<double>(below) >= 0.5));
}

std::optional<double> medianGbs(const Histogram& bandwidths) {
  if (bandwidths.count() == 0) return std::nullopt;
  return static_cast<double>(bandwidths.percentile(50)) / 1e9;
}

}  // namespace

void SplitSums::add(const OperationSplit& split) {
  if (split.exposed_ns) exposed.add(*split.exposed_ns);
  if (split.slack_ns) slack.add(*split.slack_ns);
  if (split.transfer) transfer.add(notBelowZero(split.transfer->ns));
  withheld += !split.transfer;
  if (split.wait_for_peers) {
    const CertifiedTime& wait = *split.wait_for_peers;
    wait_for_peers.add(notBelowZero(wait.ns));
    wait_uncertain_ns += offByNs(wait);
  }
  if (!split.ready) return;
  ++ready_times;
  if (split.ready->is_last) last.add(split.ready->behind_ns);
}

void SplitSums::add(const SplitSums& other) {
  wait_for_peers.add(other.wait_for_peers);
  transfer.add(other.transfer);
  exposed.add(other.exposed);
  slack.add(other.slack);
  wait_uncertain_ns += other.wait_uncertain_ns;
  ready_times += other.ready_times;
  last.add(other.last);
  withheld += other.withheld;
}

void SplitTotals::add(const OperationSplit& split,
                      std::optional<std::size_t> window, double message_bytes,
                      double bus_factor) {
  const double bus_bytes = message_bytes * bus_factor;
  if (split.ready_to_end_ns) {
    addSpeed(parts_.ready_bandwidth, bus_bytes, *split.ready_to_end_ns);
  }
  if (split.wait_for_peers) {
    parts_.wait_for_peers.add(*split.wait_for_peers);
    if (window) {
      parts_.wait_trend.add(*window, notBelowZero(split.wait_for_peers->ns));
    }
  }
  if (split.transfer) {
    parts_.transfer.add(*split.transfer);
    const std::uint64_t ns = notBelowZero(split.transfer->ns);
    // A time indistinguishable from 0 gives no bandwidth.
    if (split.transfer_above_zero) {
      addSpeed(parts_.transfer_bandwidth, bus_bytes, ns);
    }
    if (window) parts_.transfer_trend.add(*window, ns);
  }
}

void SplitTotals::add(const SplitTotals& other) {
  parts_.wait_for_peers.add(other.parts_.wait_for_peers);
  parts_.transfer.add(other.parts_.transfer);
  parts_.transfer_bandwidth.add(other.parts_.transfer_bandwidth);
  parts_.ready_bandwidth.add(other.parts_.ready_bandwidth);
  for (const auto& [rank, lateness] : other.ranks_) {
    ranks_[rank].ready_times += lateness.ready_times;
    ranks_[rank].behind_ns.add(lateness.behind_ns);
  }
  parts_.transfer_trend.add(other.parts_.transfer_trend);
  parts_.wait_trend.add(other.parts_.wait_trend);
}

std::optional<double> SplitTotals::transferBusbwGbs() const {
  return medianGbs(parts_.transfer_bandwidth);
}

std::optional<double> SplitTotals::readyBusbwGbs() const {
  return medianGbs(parts_.ready_bandwidth);
}

}  // namespace traced
