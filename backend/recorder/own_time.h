// OwnTime is the recorder's account of the time it takes itself, from samples.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace traced {

// Any thread may add; any thread may read. One operation in kEvery is sampled,
// because a sample costs a clock read more.
class OwnTime {
 public:
  static constexpr std::uint64_t kEvery = 16;
  static constexpr int kBuckets = 32;

  static bool sampled(std::uint64_t sequence) {
    return sequence % kEvery == kEvery / 2;
  }

  // Bucket i counts the samples of [2^i, 2^(i+1)) ns; the last, all above.
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
