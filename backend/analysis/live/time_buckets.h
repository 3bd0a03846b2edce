// TimeBuckets counts times in buckets of powers of 4, suitable for a dashboard.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace traced {

class TimeBuckets {
 public:
  // Upper bounds of 1 us, 4 us, 16 us, ... 16.8 s; one more bucket has longer
  // times.
  static constexpr std::size_t kBounds = 13;
  static constexpr std::uint64_t boundNs(std::size_t bucket) {
    return std::uint64_t{1000} << (2 * bucket);
  }
  static constexpr double boundSeconds(std::size_t bucket) {
    return static_cast<double>(boundNs(bucket)) / 1e9;
  }

  void add(std::uint64_t ns) {
    std::size_t bucket = 0;
    while (bucket < kBounds && ns > boundNs(bucket)) ++bucket;
    ++counts_[bucket];
    total_ns_ += ns;
  }

  // Returns the number of times in bucket 0 to kBounds. The last one has those
  // beyond all bounds.
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket]; }
  // Returns the number of times up to boundNs(bucket), or of all times for
  // kBounds.
  std::uint64_t upTo(std::size_t bucket) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= bucket; ++i) count += counts_[i];
    return count;
  }
  std::uint64_t total() const { return upTo(kBounds); }
  double totalSeconds() const { return static_cast<double>(total_ns_) / 1e9; }

 private:
  std::array<std::uint64_t, kBounds + 1> counts_{};
  std::uint64_t total_ns_ = 0;
};

}  // namespace traced
