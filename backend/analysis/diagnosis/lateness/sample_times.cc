#include "analysis/diagnosis/lateness/sample_times.h"

#include <algorithm>

#include "trace_io/plus_one.h"

namespace traced {
namespace {

using Amount = std::optional<std::uint64_t>;

// A bit of nvmlClocksEventReasons in nvml.h: the GPU has nothing to do.
constexpr std::uint64_t kGpuIsIdle = 0x1;

SampleTime exactly(std::uint64_t plus_1) {
  const Amount ns = lessOne(plus_1);
  return {ns, ns};
}

// How long the main thread, or another one that issues operations, waited for a
// processor, and all threads together.
SampleTime processorTime(const ResourceRow& sample) {
  const Amount main_ns = lessOne(sample.run_delay_ns_plus_1);
  const Amount issuer_ns = lessOne(sample.issuer_delay_ns_plus_1);
  const Amount other_ns = lessOne(sample.other_delay_ns_plus_1);
  if (!main_ns) return {};
  const Amount all_ns = other_ns ? Amount(*main_ns + *other_ns) : std::nullopt;
  return {std::max(main_ns, issuer_ns), all_ns};
}

SampleTime throttledTime(const ResourceRow& sample) {
  const Amount limited_ns = lessOne(sample.throttled_ns_plus_1);
  const SampleTime waited = processorTime(sample);
  if (!limited_ns || !waited.ns) return {Amount(), limited_ns};
  return {std::min(limited_ns, waited.ns), limited_ns};
}

// How long the main thread did not run. Meanwhile it may have waited for
// storage without an uninterruptible sleep: on FUSE, or for another thread.
Amount notRunNs(const ResourceRow& sample) {
  const Amount ran_ns = lessOne(sample.main_cpu_ns_plus_1);
  if (!ran_ns) return std::nullopt;
  return sample.interval_ns - std::min(sample.interval_ns, *ran_ns);
}

// A page fault without a disk may wait for a lock.
SampleTime pagingTime(const ResourceRow& sample) {
  const Amount slept_ns = lessOne(sample.paging_ns_plus_1);
  if (!slept_ns) return {};
  if (sample.major_faults == 0) return {0, slept_ns};
  return {slept_ns, notRunNs(sample)};
}

// What low clocks cost at most: a kernel takes as many times longer as the
// clock is lower.
SampleTime gpuClocksTime(const ResourceRow& sample) {
  const Amount clock = lessOne(sample.sm_clock_mhz_plus_1);
  const Amount highest = lessOne(sample.max_sm_clock_mhz_plus_1);
  const Amount reasons = lessOne(sample.throttle_reasons_plus_1);
  if (!clock || !highest || !reasons || *highest == 0) return {};
  if ((*reasons & kGpuIsIdle) != 0) return {0, std::nullopt};
  if (*clock >= *highest) return {0, 0};
  // A longer interval is damaged.
  constexpr std::uint64_t kMostNs = std::uint64_t{1} << 62;
  const double part =
      1 - static_cast<double>(*clock) / static_cast<double>(*highest);
  const auto ns = static_cast<std::uint64_t>(
      part * static_cast<double>(std::min(sample.interval_ns, kMostNs)));
  return {*reasons != 0 ? ns : 0, ns};
}

}  // namespace

SampleTime timeOf(LateCause cause, const ResourceRow& sample) {
  switch (cause) {
    case LateCause::kCollecting:
      return exactly(sample.collecting_ns_plus_1);
    case LateCause::kLoading:
      return exactly(sample.loading_ns_plus_1);
    case LateCause::kThrottled:
      return throttledTime(sample);
    case LateCause::kProcessor:
      return processorTime(sample);
    case LateCause::kPaging:
      return pagingTime(sample);
    case LateCause::kStorage:
      return {lessOne(sample.blocked_ns_plus_1), notRunNs(sample)};
    case LateCause::kKernel:
      return exactly(sample.blocked_ns_plus_1);
    case LateCause::kGpuClocks:
      return gpuClocksTime(sample);
  }
  return {};
}

}  // namespace traced
