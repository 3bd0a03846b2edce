// Reads the memory and descriptors of this process from /proc/self.

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

// Returns how much the memory grew from the median of the first quarter of the
// samples to that of the last. A single sample may be taken during a chunk.
double growthKib(const std::vector<Usage>& samples);

// Returns the minimum number of descriptors in the first and in the second half
// of the samples. Two files are briefly open during a rotation.
std::pair<int, int> fewestDescriptors(const std::vector<Usage>& samples);

}  // namespace traced::testing
