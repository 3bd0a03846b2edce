// ResourceSampler asks the kernel, now and then, what the process used since it
// asked before.

#pragma once

#include <cstdint>
#include <optional>

#include "trace_io/row.h"

namespace traced {

// Not thread safe.
class ResourceSampler {
 public:
  // Samples are `interval_ns` apart, or more; 0: there are none. The first one
  // counts from `now_ns`.
  ResourceSampler(std::int64_t interval_ns, std::int64_t now_ns);

  // Returns a sample if one is due at `now_ns`, or if it is the last one, which
  // may come earlier.
  std::optional<ResourceRow> sample(std::int64_t now_ns, bool last);

 private:
  // What the process used since its start.
  struct Usage {
    std::uint64_t cpu_ns = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t major_faults = 0;
    // Absent: the kernel does not say.
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
