#include "analysis/time_split/split_totals.h"

#include <algorithm>
#include <cmath>

namespace traced {
namespace {

void addSpeed(Histogram& bandwidths, double bytes, std::uint64_t ns) {
  // Faster than that no clock can tell.
  constexpr double kMost = 1e18;
  if (ns == 0 || bytes <= 0) return;
  bandwidths.add(static_cast<std::uint64_t>(
      std::llround(std::min(bytes * 1e9 / static_cast<double>(ns), kMost))));
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
  if (!split.arrival) return;
  ++arrivals;
  if (split.arrival->is_last) last.add(split.arrival->behind_ns);
}

void SplitSums::add(const SplitSums& other) {
  wait_for_peers.add(other.wait_for_peers);
  transfer.add(other.transfer);
  exposed.add(other.exposed);
  slack.add(other.slack);
  wait_uncertain_ns += other.wait_uncertain_ns;
  arrivals += other.arrivals;
  last.add(other.last);
  withheld += other.withheld;
}

void SplitTotals::add(const OperationSplit& split, std::uint32_t rank,
                      std::optional<std::size_t> window, double message_bytes,
                      double bus_factor) {
  const double bus_bytes = message_bytes * bus_factor;
  if (split.ready_to_end_ns) {
    addSpeed(ready_bandwidth_, bus_bytes, *split.ready_to_end_ns);
  }
  if (split.wait_for_peers) {
    wait_for_peers_.add(*split.wait_for_peers);
    if (window) {
      wait_trend_.add(*window, notBelowZero(split.wait_for_peers->ns));
    }
  }
  if (split.transfer) {
    transfer_.add(*split.transfer);
    const std::uint64_t ns = notBelowZero(split.transfer->ns);
    // A time that is not told from 0 gives no bandwidth.
    if (split.transfer_above_zero) {
      addSpeed(transfer_bandwidth_, bus_bytes, ns);
    }
    if (window) transfer_trend_.add(*window, ns);
  }
  if (!split.arrival) return;
  Lateness& lateness = ranks_[rank];
  ++lateness.arrivals;
  if (split.arrival->is_last) lateness.behind_ns.add(split.arrival->behind_ns);
}

std::optional<double> SplitTotals::transferBusbwGbs() const {
  return medianGbs(transfer_bandwidth_);
}

std::optional<double> SplitTotals::readyBusbwGbs() const {
  return medianGbs(ready_bandwidth_);
}

}  // namespace traced
