// What this process holds, from /proc/self.

#pragma once

#include <utility>
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

// The fewest descriptors in the first and in the second half: a sample may fall
// between the opening of one part and the closing of another.
std::pair<int, int> fewestDescriptors(const std::vector<Usage>& samples);

}  // namespace traced::testing
