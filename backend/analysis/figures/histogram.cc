#include "analysis/figures/histogram.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace traced {
namespace {

// Values between two powers of two share 2^kBits buckets.
constexpr int kBits = 7;

}  // namespace

std::uint32_t Histogram::bucketOf(std::uint64_t value) {
  const int power =
      std::max(static_cast<int>(std::bit_width(value)) - kBits - 1, 0);
  static_assert(kBuckets == (64 - kBits + 1) << kBits);
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

void Histogram::addAside(std::uint32_t bucket, std::uint64_t count) {
  constexpr std::size_t kMany = 32;
  constexpr std::size_t kFew = 8;
  const auto place = std::lower_bound(
      aside_.begin(), aside_.end(), bucket,
      [](const auto& entry, std::uint32_t key) { return entry.first < key; });
  if (place != aside_.end() && place->first == bucket) {
    place->second += count;
    return;
  }
  aside_.insert(place, {bucket, count});
  const bool is_first = dense_.empty() && aside_.size() >= kFew &&
                        std::has_single_bit(aside_.size());
  if (is_first || aside_.size() % kMany == 0) gather();
}

// Moves all buckets into `dense_` if at least every fourth bucket of the range
// is used.
void Histogram::gather() {
  constexpr std::size_t kMaxPerUsed = 4;
  std::uint32_t first = aside_.front().first;
  std::uint32_t last = aside_.back().first;
  std::size_t used = 0;
  find([&](std::uint32_t bucket, std::uint64_t) {
    first = std::min(first, bucket);
    last = std::max(last, bucket);
    ++used;
    return false;
  });
  if (last - first >= kMaxPerUsed * used) return;
  std::vector<std::uint64_t> dense(last - first + 1);
  find([&](std::uint32_t bucket, std::uint64_t count) {
    dense[bucket - first] = count;
    return false;
  });
  dense_ = std::move(dense);
  first_ = first;
  aside_.clear();
}

void Histogram::add(const Histogram& other) {
  other.find([this](std::uint32_t bucket, std::uint64_t count) {
    addToBucket(bucket, count);
    return false;
  });
  least_ = std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
}

std::uint64_t Histogram::percentile(unsigned percent) const {
  if (count_ == 0) return 0;
  const std::uint64_t rank = std::max<std::uint64_t>(
      (count_ / 100) * percent + ((count_ % 100) * percent + 99) / 100, 1);
  std::uint64_t seen = 0;
  std::uint32_t found = 0;
  find([&](std::uint32_t bucket, std::uint64_t count) {
    seen += count;
    found = bucket;
    return seen >= rank;
  });
  return within(found);
}

}  // namespace traced
