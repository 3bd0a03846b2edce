#include "analysis/time_split/certified_times.h"

#include <algorithm>

namespace traced {
void CertifiedTimes::add(CertifiedTime time) {
  const bool exact = time.low_ns == time.high_ns;
  if (!exact && high_.count() == 0) low_ = high_ = estimate_;
  const bool kept = high_.count() > 0 || !exact;
  const std::uint64_t ns = notBelowZero(time.ns);
  estimate_.add(ns);
  total_ns_ += ns;
  max_ns_ = std::max(max_ns_, ns);
  if (!kept) return;
  low_.add(notBelowZero(time.low_ns));
  high_.add(notBelowZero(time.high_ns));
}

CertifiedTime CertifiedTimes::p50() const {
  const auto median = [](const Histogram& histogram) {
    return static_cast<std::int64_t>(histogram.percentile(50));
  };
  const std::int64_t ns = median(estimate_);
  if (high_.count() == 0) return {ns, ns, ns};
  return {ns, median(low_), median(high_)};
}

std::uint64_t CertifiedTimes::certifiedWithinNs() const {
  return offByNs(p50());
}

}  // namespace traced
