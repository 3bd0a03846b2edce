#include "recorder/resources/resource_sampler.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "recorder/resources/gpu_watch.h"
#include "recorder/resources/number_after.h"
#include "recorder/resources/program_times.h"
#include "recorder/standstill/thread_activity.h"
#include "trace_io/plus_one.h"

namespace traced {
namespace {

using Amount = std::optional<std::uint64_t>;

// Times are rounded down to this, so that they take half as much space in the
// trace.
constexpr std::uint64_t kTimeStepNs = std::uint64_t{1} << 14;

std::uint64_t rounded(std::uint64_t ns) { return ns & ~(kTimeStepNs - 1); }

// The part of an interval in which the main thread must have been observed.
constexpr double kMinObserved = 0.9;

std::uint64_t nsOf(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

std::int64_t threadCpuNs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

// Returns how long some task of the host waited for a resource, from its file
// in /proc/pressure: Documentation/accounting/psi.rst of Linux.
Amount pressureNs(const char* path) {
  const Amount us = numberAfter(SmallFile(path), " total=");
  return us ? Amount(*us * 1'000) : std::nullopt;
}

Amount rounded(const Amount& ns) {
  return ns ? Amount(rounded(*ns)) : std::nullopt;
}

void addGpuState(std::int64_t now_ns, ResourceRow& row) {
  const std::optional<GpuState> gpu = takeGpuState(now_ns);
  if (!gpu) return;
  row.sm_clock_mhz_plus_1 = plusOne(gpu->sm_clock_mhz);
  row.max_sm_clock_mhz_plus_1 = plusOne(gpu->max_sm_clock_mhz);
  row.memory_clock_mhz_plus_1 = plusOne(gpu->memory_clock_mhz);
  row.throttle_reasons_plus_1 = plusOne(gpu->throttle_reasons);
  row.temperature_plus_1 = plusOne(gpu->temperature);
  row.ecc_errors_plus_1 = plusOne(gpu->ecc_errors);
  row.xid = gpu->xid;
}

}  // namespace

struct ResourceSampler::Difference {
  Amount Totals::*total;
  std::uint64_t ResourceRow::*column;
  // The column holds the difference plus 1, and 0 if it is unknown.
  bool plus_1 = true;
  bool is_time = true;
};

const ResourceSampler::Difference ResourceSampler::kDifferences[] = {
    {&Totals::cpu_ns, &ResourceRow::cpu_ns, false},
    {&Totals::voluntary_switches, &ResourceRow::voluntary_switches, false,
     false},
    {&Totals::involuntary_switches, &ResourceRow::involuntary_switches, false,
     false},
    {&Totals::major_faults, &ResourceRow::major_faults, false, false},
    {&Totals::main_cpu_ns, &ResourceRow::main_cpu_ns_plus_1},
    {&Totals::run_delay_ns, &ResourceRow::run_delay_ns_plus_1},
    {&Totals::read_bytes, &ResourceRow::read_bytes_plus_1, true, false},
    {&Totals::written_bytes, &ResourceRow::written_bytes_plus_1, true, false},
    {&Totals::cpu_pressure_ns, &ResourceRow::cpu_pressure_ns_plus_1},
    {&Totals::io_pressure_ns, &ResourceRow::io_pressure_ns_plus_1},
    {&Totals::memory_pressure_ns, &ResourceRow::memory_pressure_ns_plus_1},
    {&Totals::collections, &ResourceRow::collections, false, false},
    {&Totals::collecting_ns, &ResourceRow::collecting_ns_plus_1},
    {&Totals::batches, &ResourceRow::batches, false, false},
    {&Totals::loading_ns, &ResourceRow::loading_ns_plus_1},
};

ResourceSampler::ResourceSampler(std::int64_t interval_ns, std::int64_t now_ns)
    : interval_ns_(interval_ns),
      sampled_ns_(now_ns),
      due_ns_(now_ns + interval_ns),
      blocked_(now_ns) {
  before_ = totals(now_ns);
  delays_.measure({});
}

ResourceSampler::Totals ResourceSampler::totals(std::int64_t now_ns) const {
  Totals totals;
  rusage self{};
  getrusage(RUSAGE_SELF, &self);
  totals.cpu_ns = nsOf(self.ru_utime) + nsOf(self.ru_stime);
  totals.voluntary_switches = static_cast<std::uint64_t>(self.ru_nvcsw);
  totals.involuntary_switches = static_cast<std::uint64_t>(self.ru_nivcsw);
  totals.major_faults = static_cast<std::uint64_t>(self.ru_majflt);
  const ThreadSchedule main = scheduleOf(getpid());
  totals.main_cpu_ns = main.cpu_ns;
  totals.run_delay_ns = main.delay_ns;
  const SmallFile io("/proc/self/io");
  totals.read_bytes = numberAfter(io, "\nread_bytes: ");
  totals.written_bytes = numberAfter(io, "\nwrite_bytes: ");
  totals.cpu_pressure_ns = pressureNs("/proc/pressure/cpu");
  totals.io_pressure_ns = pressureNs("/proc/pressure/io");
  totals.memory_pressure_ns = pressureNs("/proc/pressure/memory");
  totals.collections = collection_time.count();
  totals.collecting_ns = collection_time.totalNs(now_ns);
  totals.batches = loading_time.count();
  totals.loading_ns = loading_time.totalNs(now_ns);
  return totals;
}

void ResourceSampler::observe(std::int64_t now_ns) { blocked_.observe(now_ns); }

bool ResourceSampler::isDue(std::int64_t now_ns, bool last) const {
  return now_ns >= due_ns_ ||
         (last && now_ns - sampled_ns_ > interval_ns_ / 10);
}

// A total may be too low at one moment (TimeSum), but never shrinks.
void ResourceSampler::addDifferences(const Totals& now, ResourceRow& row) {
  for (const auto& [total, column, plus_1, is_time] : kDifferences) {
    const Amount until = is_time ? rounded(now.*total) : now.*total;
    const Amount since =
        std::exchange(before_.*total, std::max(before_.*total, until));
    if (!since || !until) continue;
    row.*column = *until - std::min(*until, *since) + (plus_1 ? 1 : 0);
  }
}

void ResourceSampler::addBlockedTime(const std::vector<std::int64_t>& issuers,
                                     ResourceRow& row) {
  const BlockedTime::Times times = blocked_.take();
  const bool main_issues =
      std::find(issuers.begin(), issuers.end(), getpid()) != issuers.end();
  if (!issuers.empty() && !main_issues) return;
  if (static_cast<double>(times.known_ns) <
      kMinObserved * static_cast<double>(row.interval_ns)) {
    return;
  }
  row.blocked_ns_plus_1 = rounded(times.in_calls_ns) + 1;
  row.paging_ns_plus_1 = rounded(times.in_faults_ns) + 1;
}

ResourceRow ResourceSampler::sample(std::int64_t now_ns,
                                    const std::vector<std::int64_t>& issuers) {
  const std::int64_t began_ns = threadCpuNs();
  // The first may throw, and then nothing has changed.
  const ThreadDelays::Delays delays = delays_.measure(issuers);
  const Amount throttled_ns = throttling_.measure();
  const Totals now = totals(now_ns);
  ResourceRow row;
  row.sample_ns = now_ns;
  row.interval_ns = static_cast<std::uint64_t>(now_ns - sampled_ns_);
  addDifferences(now, row);
  addBlockedTime(issuers, row);
  row.issuer_delay_ns_plus_1 = plusOne(rounded(delays.issuer_ns));
  row.other_delay_ns_plus_1 = plusOne(rounded(delays.sum_ns));
  row.throttled_ns_plus_1 = plusOne(rounded(throttled_ns));
  addGpuState(now_ns, row);
  sampled_ns_ = now_ns;
  const auto cost_ns = static_cast<double>(threadCpuNs() - began_ns);
  due_ns_ = now_ns + std::max(interval_ns_,
                              static_cast<std::int64_t>(cost_ns / kMaxShare));
  return row;
}

}  // namespace traced
