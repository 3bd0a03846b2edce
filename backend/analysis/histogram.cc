#include "analysis/histogram.h"

#include <algorithm>
#include <bit>

namespace traced {
namespace {

// Values of one power of two share 2^kBits buckets.
constexpr int kBits = 7;

}  // namespace

std::uint32_t Histogram::bucketOf(std::uint64_t value) {
  const int power =
      std::max(static_cast<int>(std::bit_width(value)) - kBits - 1, 0);
  return static_cast<std::uint32_t>(
      (static_cast<std::uint64_t>(power) << kBits) + (value >> power));
}

std::uint64_t Histogram::middleOf(std::uint32_t bucket) {
  if (bucket < 2u << kBits) return bucket;
  const int power = static_cast<int>(bucket >> kBits) - 1;
  const std::uint64_t first =
      std::uint64_t{bucket} - (static_cast<std::uint64_t>(power) << kBits);
  return (first << power) + (std::uint64_t{1} << power) / 2;
}

void Histogram::addToBucket(std::uint32_t bucket, std::uint64_t count) {
  count_ += count;
  const auto place = std::lower_bound(
      buckets_.begin(), buckets_.end(), bucket,
      [](const auto& entry, std::uint32_t key) { return entry.first < key; });
  if (place != buckets_.end() && place->first == bucket) {
    place->second += count;
  } else {
    buckets_.insert(place, {bucket, count});
  }
}

void Histogram::add(const Histogram& other) {
  for (const auto& [bucket, count] : other.buckets_) addToBucket(bucket, count);
}

std::uint64_t Histogram::percentile(unsigned percent) const {
  if (count_ == 0) return 0;
  const std::uint64_t rank = std::max<std::uint64_t>(
      (count_ / 100) * percent + ((count_ % 100) * percent + 99) / 100, 1);
  std::uint64_t seen = 0;
  for (const auto& [bucket, count] : buckets_) {
    seen += count;
    if (seen >= rank) return middleOf(bucket);
  }
  return middleOf(buckets_.back().first);
}

}  // namespace traced
