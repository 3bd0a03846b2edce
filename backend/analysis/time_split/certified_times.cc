#include "analysis/time_split/certified_times.h"

#include <algorithm>

namespace traced {
namespace {

void keepMost(std::int64_t& most, std::int64_t ns) {
  most = std::max(most, ns);
}

}  // namespace

void CertifiedTimes::keepBounds() {
  if (allExact()) parts_.low = parts_.high = parts_.estimate;
}

void CertifiedTimes::add(CertifiedTime time) {
  const bool exact = time.low_ns == time.high_ns;
  if (!exact) keepBounds();
  const bool kept = !allExact() || !exact;
  const std::uint64_t ns = notBelowZero(time.ns);
  parts_.estimate.add(ns);
  parts_.total_ns += ns;
  keepMost(parts_.max.ns, time.ns);
  keepMost(parts_.max.low_ns, time.low_ns);
  keepMost(parts_.max.high_ns, time.high_ns);
  if (!kept) return;
  parts_.low.add(notBelowZero(time.low_ns));
  parts_.high.add(notBelowZero(time.high_ns));
}

void CertifiedTimes::add(const CertifiedTimes& other) {
  const bool kept = !allExact() || !other.allExact();
  if (kept) {
    keepBounds();
    parts_.low.add(other.allExact() ? other.parts_.estimate : other.parts_.low);
    parts_.high.add(other.allExact() ? other.parts_.estimate
                                     : other.parts_.high);
  }
  parts_.estimate.add(other.parts_.estimate);
  parts_.total_ns += other.parts_.total_ns;
  keepMost(parts_.max.ns, other.parts_.max.ns);
  keepMost(parts_.max.low_ns, other.parts_.max.low_ns);
  keepMost(parts_.max.high_ns, other.parts_.max.high_ns);
}

CertifiedTime CertifiedTimes::percentile(unsigned percent) const {
  const auto of = [percent](const Histogram& histogram) {
    return static_cast<std::int64_t>(histogram.percentile(percent));
  };
  const std::int64_t ns = of(parts_.estimate);
  if (allExact()) return {ns, ns, ns};
  return {ns, of(parts_.low), of(parts_.high)};
}

}  // namespace traced
