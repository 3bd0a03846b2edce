#include "analysis/time_split/certified_times.h"

#include <algorithm>

namespace traced {
namespace {

void keepMost(std::int64_t& most, std::int64_t ns) {
  most = std::max(most, ns);
}

}  // namespace

void CertifiedTimes::add(CertifiedTime time) {
  const bool exact = time.low_ns == time.high_ns;
  if (!exact && high_.count() == 0) low_ = high_ = estimate_;
  const bool kept = high_.count() > 0 || !exact;
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

CertifiedTime CertifiedTimes::percentile(unsigned percent) const {
  const auto of = [percent](const Histogram& histogram) {
    return static_cast<std::int64_t>(histogram.percentile(percent));
  };
  const std::int64_t ns = of(estimate_);
  if (high_.count() == 0) return {ns, ns, ns};
  return {ns, of(low_), of(high_)};
}

}  // namespace traced
