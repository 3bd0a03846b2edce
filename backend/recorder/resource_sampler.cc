#include "recorder/resource_sampler.h"

#include <sys/resource.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "recorder/standstill/small_file.h"

namespace traced {
namespace {

using Amount = std::optional<std::uint64_t>;

std::uint64_t nsOf(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

// Returns the number after `name`.
Amount numberOf(const SmallFile& file, const char* name) {
  const char* const at = std::strstr(file.text, name);
  std::uint64_t number = 0;
  if (!at || std::sscanf(at + std::strlen(name), "%" SCNu64, &number) != 1) {
    return std::nullopt;
  }
  return number;
}

std::uint64_t plusOne(const Amount& now, const Amount& before) {
  return now && before && *now >= *before ? *now - *before + 1 : 0;
}

}  // namespace

ResourceSampler::ResourceSampler(std::int64_t interval_ns, std::int64_t now_ns)
    : interval_ns_(interval_ns), sampled_ns_(now_ns) {
  if (interval_ns_ > 0) before_ = usage();
}

ResourceSampler::Usage ResourceSampler::usage() {
  Usage usage;
  rusage self{};
  getrusage(RUSAGE_SELF, &self);
  usage.cpu_ns = nsOf(self.ru_utime) + nsOf(self.ru_stime);
  usage.voluntary_switches = static_cast<std::uint64_t>(self.ru_nvcsw);
  usage.involuntary_switches = static_cast<std::uint64_t>(self.ru_nivcsw);
  usage.major_faults = static_cast<std::uint64_t>(self.ru_majflt);
  // The main thread's CPU time and run-queue wait in nanoseconds:
  // Documentation/scheduler/sched-stats.rst of Linux.
  const SmallFile schedule("/proc/self/schedstat");
  std::uint64_t ran_ns = 0;
  std::uint64_t waited_ns = 0;
  if (std::sscanf(schedule.text, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) ==
      2) {
    usage.main_cpu_ns = ran_ns;
    usage.run_delay_ns = waited_ns;
  }
  const SmallFile io("/proc/self/io");
  usage.read_bytes = numberOf(io, "\nread_bytes: ");
  usage.written_bytes = numberOf(io, "\nwrite_bytes: ");
  return usage;
}

std::optional<ResourceRow> ResourceSampler::sample(std::int64_t now_ns,
                                                   bool last) {
  const std::int64_t passed_ns = now_ns - sampled_ns_;
  if (interval_ns_ == 0 || passed_ns <= 0) return std::nullopt;
  if (passed_ns < interval_ns_ && !last) return std::nullopt;
  const Usage now = usage();
  const ResourceRow row{
      .sample_ns = now_ns,
      .interval_ns = static_cast<std::uint64_t>(passed_ns),
      .cpu_ns = now.cpu_ns - before_.cpu_ns,
      .main_cpu_ns_plus_1 = plusOne(now.main_cpu_ns, before_.main_cpu_ns),
      .run_delay_ns_plus_1 = plusOne(now.run_delay_ns, before_.run_delay_ns),
      .voluntary_switches = now.voluntary_switches - before_.voluntary_switches,
      .involuntary_switches =
          now.involuntary_switches - before_.involuntary_switches,
      .major_faults = now.major_faults - before_.major_faults,
      .read_bytes_plus_1 = plusOne(now.read_bytes, before_.read_bytes),
      .written_bytes_plus_1 = plusOne(now.written_bytes, before_.written_bytes),
  };
  sampled_ns_ = now_ns;
  before_ = now;
  return row;
}

}  // namespace traced
