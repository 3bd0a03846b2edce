// ResourceSampler periodically asks the kernel for the resources that the
// process used since the previous sample.

#pragma once

#include <cstdint>
#include <optional>

#include "trace_io/row.h"

namespace traced {

// Not thread safe.
class ResourceSampler {
 public:
  // `interval_ns` is the minimum distance between samples; 0 disables sampling.
  // The first sample counts from `now_ns`.
  ResourceSampler(std::int64_t interval_ns, std::int64_t now_ns);

  // Returns a sample if one is due at `now_ns`. If `last` is true, it may be
  // early.
  std::optional<ResourceRow> sample(std::int64_t now_ns, bool last);

 private:
  // Totals since the start of the process.
  struct Usage {
    std::uint64_t cpu_ns = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t major_faults = 0;
    // Absent if the kernel does not report them.
    std::optional<std::uint64_t> main_cpu_ns;
    std::optional<std::uint64_t> run_delay_ns;
    std::optional<std::uint64_t> read_bytes;
    std::optional<std::uint64_t> written_bytes;
  };
  static Usage usage();

  const std::int64_t interval_ns_;
  std::int64_t sampled_ns_;
  Usage before_;
};

}  // namespace traced
