#include "analysis/diagnosis/job_state/timing.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace traced {
namespace {

// Returns the common step of the sequence numbers, counted from `first`. At
// least 1.
std::uint64_t strideOf(const Timings& timings, std::uint64_t first) {
  std::uint64_t stride = 0;
  for (const Timing& timing : timings) {
    stride = std::gcd(stride, timing.seq - first);
    if (stride == 1) break;
  }
  return std::max<std::uint64_t>(stride, 1);
}

// Number of consecutive collectives that are sampled together.
constexpr std::uint64_t kTogether = 16;

Timings sortedBySeq(Timings timings) {
  std::stable_sort(
      timings.begin(), timings.end(),
      [](const Timing& a, const Timing& b) { return a.seq < b.seq; });
  return timings;
}

}  // namespace

bool isSampled(std::uint64_t seq, std::uint64_t stride) {
  if (stride <= 1) return true;
  std::uint64_t mixed = seq / kTogether + 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return (mixed ^ (mixed >> 31)) % stride == 0;
}

// Sorts by counting: numbers are mostly consecutive, so counts give each
// collective's index.
Timings bySeq(const Timings& timings) {
  if (timings.empty()) return {};
  const auto [least, most] = std::minmax_element(
      timings.begin(), timings.end(),
      [](const Timing& a, const Timing& b) { return a.seq < b.seq; });
  const std::uint64_t first = least->seq;
  const std::uint64_t stride = strideOf(timings, first);
  const std::uint64_t steps = (most->seq - first) / stride;
  if (steps > timings.size()) return sortedBySeq(timings);
  std::vector<std::size_t> next(steps + 2);
  for (const Timing& timing : timings) {
    ++next[(timing.seq - first) / stride + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  Timings placed(timings.size());
  for (const Timing& timing : timings) {
    placed[next[(timing.seq - first) / stride]++] = timing;
  }
  return placed;
}

}  // namespace traced
