// What this process holds, from /proc/self.

#pragma once

#include <cstdint>
#include <vector>

namespace traced::testing {

struct Usage {
  double seconds;  // since the start
  double rss_kib;
  int descriptors;
};

Usage readUsage(double seconds);

// How much the memory grew from the first to the last quarter of what was
// sampled, between their medians: a single sample may fall into a chunk.
double growthKib(const std::vector<Usage>& samples);

}  // namespace traced::testing
