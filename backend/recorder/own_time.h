// OwnTime accumulates the recorder's own overhead. One sample is the overhead
// of one whole operation, from its issue to its release.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace traced {

// Samples one operation in kEvery, because a sample costs four extra clock
// reads. Thread safety: any thread.
class OwnTime {
 public:
  static constexpr std::uint64_t kEvery = 32;
  // Own time of an operation without a sample.
  static constexpr std::int64_t kNotSampled = -1;
  static constexpr int kBuckets = 32;

  // Returns whether to sample the operation with this sequence number in its
  // group. Samples are spread by the golden ratio, so they do not align with a
  // step whose length is a multiple of kEvery.
  static bool sampled(std::uint64_t sequence) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
    constexpr std::uint64_t kFirst = 8;
    return (sequence - kFirst) * kGolden < ~std::uint64_t{0} / kEvery;
  }

  // Adds a sample. Bucket i counts samples in [2^i, 2^(i+1)) ns. The last
  // bucket also counts all longer ones.
  void add(std::int64_t ns) noexcept {
    const auto value = static_cast<std::uint64_t>(ns > 0 ? ns : 0);
    const int bit = value == 0 ? 0 : std::bit_width(value) - 1;
    const auto bucket =
        static_cast<std::size_t>(bit < kBuckets ? bit : kBuckets - 1);
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    total_ns_.fetch_add(value, std::memory_order_relaxed);
  }

  std::uint64_t bucket(std::size_t i) const {
    return buckets_[i].load(std::memory_order_relaxed);
  }
  std::uint64_t totalNs() const {
    return total_ns_.load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> total_ns_{0};
};

}  // namespace traced
