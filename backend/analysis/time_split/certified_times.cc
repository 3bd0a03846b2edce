#include "analysis/time_split/certified_times.h"

#include <algorithm>

namespace traced {
namespace {

void keepMost(std::int64_t& most, std::int64_t ns) {
  most = std::max(most, ns);
}

}  // namespace

void CertifiedTimes::keepBounds() {
  if (allExact()) low_ = high_ = estimate_;
}

void CertifiedTimes::add(CertifiedTime time) {
  const bool exact = time.low_ns == time.high_ns;
  if (!exact) keepBounds();
  const bool kept = !allExact() || !exact;
  const std::uint64_t ns = notBelowZero(time.ns);
  estimate_.add(ns);
  total_ns_ += ns;
  keepMost(max_.ns, time.ns);
  keepMost(max_.low_ns, time.low_ns);
  keepMost(max_.high_ns, time.high_ns);
  if (!kept) return;
  low_.add(notBelowZero(time.low_ns));
  high_.add(notBelowZero(time.high_ns));
}

void CertifiedTimes::add(const CertifiedTimes& other) {
  const bool kept = !allExact() || !other.allExact();
  if (kept) {
    keepBounds();
    low_.add(other.allExact() ? other.estimate_ : other.low_);
    high_.add(other.allExact() ? other.estimate_ : other.high_);
  }
  estimate_.add(other.estimate_);
  total_ns_ += other.total_ns_;
  keepMost(max_.ns, other.max_.ns);
  keepMost(max_.low_ns, other.max_.low_ns);
  keepMost(max_.high_ns, other.max_.high_ns);
}

CertifiedTime CertifiedTimes::percentile(unsigned percent) const {
  const auto of = [percent](const Histogram& histogram) {
    return static_cast<std::int64_t>(histogram.percentile(percent));
  };
  const std::int64_t ns = of(estimate_);
  if (allExact()) return {ns, ns, ns};
  return {ns, of(low_), of(high_)};
}

}  // namespace traced
