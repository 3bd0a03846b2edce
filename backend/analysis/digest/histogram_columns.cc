#include "analysis/digest/histogram_columns.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"

namespace traced {
namespace {

constexpr auto kWindows = static_cast<int>(Trend::kWindows);

// What is in `all` and in no window of the trend. Its least and most are those
// of all, which is where it is put back into.
Histogram outsideOf(const Trend& trend, const Histogram& all) {
  absl::btree_map<std::uint32_t, std::uint64_t> left;
  for (const auto& [bucket, count] : all.buckets()) left[bucket] = count;
  for (const Histogram& window : trend.windows()) {
    for (const auto& [bucket, count] : window.buckets()) left[bucket] -= count;
  }
  Histogram outside;
  for (const auto& [bucket, count] : left) {
    if (count > 0) outside.add(bucket, count, all.least(), all.most());
  }
  return outside;
}

class Writer {
 public:
  Writer(std::uint32_t row, v1::StreamDigest& digest)
      : row_(row), digest_(digest) {}

  void add(int kind, const Histogram& histogram) {
    if (histogram.count() == 0) return;
    const Histogram::Buckets buckets = histogram.buckets();
    digest_.add_histogram_row(row_);
    digest_.add_histogram_kind(static_cast<std::uint32_t>(kind));
    digest_.add_histogram_least(histogram.least());
    digest_.add_histogram_most(histogram.most());
    digest_.add_histogram_buckets(static_cast<std::uint32_t>(buckets.size()));
    std::uint32_t before = 0;
    for (const auto& [bucket, count] : buckets) {
      digest_.add_bucket(bucket - before);
      digest_.add_bucket_count(count);
      before = bucket;
    }
  }
  void add(int first_kind, const Trend& trend) {
    for (int i = 0; i < kWindows; ++i) {
      add(first_kind + i, trend.windows()[static_cast<std::size_t>(i)]);
    }
  }
  // The kind and the two behind it.
  void add(int kind, const CertifiedTimes& times, const Trend& trend) {
    const CertifiedTimes::Parts& parts = times.parts();
    add(kind, outsideOf(trend, parts.estimate));
    add(kind + 1, parts.low);
    add(kind + 2, parts.high);
  }

 private:
  const std::uint32_t row_;
  v1::StreamDigest& digest_;
};

// Where a histogram of that kind goes; nullptr where it is to be one of a
// trend, or is none that this version knows.
Histogram* placeOf(int kind, SplitTotals::Parts& parts,
                   CertifiedTimes::Parts& wait, CertifiedTimes::Parts& transfer,
                   Histogram& behind) {
  switch (kind) {
    case v1::DIGEST_HISTOGRAM_WAIT:
      return &wait.estimate;
    case v1::DIGEST_HISTOGRAM_WAIT_LOW:
      return &wait.low;
    case v1::DIGEST_HISTOGRAM_WAIT_HIGH:
      return &wait.high;
    case v1::DIGEST_HISTOGRAM_TRANSFER:
      return &transfer.estimate;
    case v1::DIGEST_HISTOGRAM_TRANSFER_LOW:
      return &transfer.low;
    case v1::DIGEST_HISTOGRAM_TRANSFER_HIGH:
      return &transfer.high;
    case v1::DIGEST_HISTOGRAM_TRANSFER_BANDWIDTH:
      return &parts.transfer_bandwidth;
    case v1::DIGEST_HISTOGRAM_READY_BANDWIDTH:
      return &parts.ready_bandwidth;
    case v1::DIGEST_HISTOGRAM_BEHIND:
      return &behind;
    default:
      return nullptr;
  }
}

bool isWindow(int kind, int first) {
  return kind >= first && kind < first + kWindows;
}

}  // namespace

void addHistograms(std::uint32_t row, const SplitTotals& split,
                   v1::StreamDigest& digest) {
  Writer writer(row, digest);
  const SplitTotals::Parts& parts = split.parts();
  writer.add(v1::DIGEST_HISTOGRAM_WAIT, parts.wait_for_peers, parts.wait_trend);
  writer.add(v1::DIGEST_HISTOGRAM_TRANSFER, parts.transfer,
             parts.transfer_trend);
  writer.add(v1::DIGEST_HISTOGRAM_TRANSFER_BANDWIDTH, parts.transfer_bandwidth);
  writer.add(v1::DIGEST_HISTOGRAM_READY_BANDWIDTH, parts.ready_bandwidth);
  for (const auto& [rank, lateness] : split.ranks()) {
    writer.add(v1::DIGEST_HISTOGRAM_BEHIND, lateness.behind_ns);
  }
  writer.add(v1::DIGEST_HISTOGRAM_WAIT_TREND, parts.wait_trend);
  writer.add(v1::DIGEST_HISTOGRAM_TRANSFER_TREND, parts.transfer_trend);
}

bool HistogramColumns::read(std::uint32_t row, SplitTotals::Parts& parts,
                            Histogram& behind) {
  CertifiedTimes::Parts wait = parts.wait_for_peers.parts();
  CertifiedTimes::Parts transfer = parts.transfer.parts();
  while (next_ < digest_.histogram_row_size() &&
         digest_.histogram_row(next_) == row) {
    if (next_ >= digest_.histogram_kind_size()) return false;
    const auto kind = static_cast<int>(digest_.histogram_kind(next_) & 0xffff);
    Histogram one;
    if (!readOne(one)) return false;
    if (Histogram* place = placeOf(kind, parts, wait, transfer, behind)) {
      place->add(one);
    } else if (isWindow(kind, v1::DIGEST_HISTOGRAM_WAIT_TREND)) {
      const auto window = kind - v1::DIGEST_HISTOGRAM_WAIT_TREND;
      parts.wait_trend.add(static_cast<std::size_t>(window), one);
      wait.estimate.add(one);
    } else if (isWindow(kind, v1::DIGEST_HISTOGRAM_TRANSFER_TREND)) {
      const auto window = kind - v1::DIGEST_HISTOGRAM_TRANSFER_TREND;
      parts.transfer_trend.add(static_cast<std::size_t>(window), one);
      transfer.estimate.add(one);
    }
  }
  parts.wait_for_peers = CertifiedTimes(std::move(wait));
  parts.transfer = CertifiedTimes(std::move(transfer));
  return true;
}

bool HistogramColumns::readOne(Histogram& histogram) {
  if (next_ >= digest_.histogram_least_size() ||
      next_ >= digest_.histogram_most_size() ||
      next_ >= digest_.histogram_buckets_size()) {
    return false;
  }
  const std::uint64_t least = digest_.histogram_least(next_);
  const std::uint64_t most = digest_.histogram_most(next_);
  const std::uint32_t buckets = digest_.histogram_buckets(next_++);
  const auto left = static_cast<std::size_t>(
      std::min(digest_.bucket_size(), digest_.bucket_count_size()) -
      next_bucket_);
  if (least > most || buckets > left) return false;
  std::uint64_t bucket = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    bucket += digest_.bucket(next_bucket_);
    if (bucket >= Histogram::kBuckets) return false;
    histogram.add(static_cast<std::uint32_t>(bucket),
                  digest_.bucket_count(next_bucket_++), least, most);
  }
  return true;
}

bool HistogramColumns::atEnd() const {
  return next_ == digest_.histogram_row_size() &&
         next_bucket_ == digest_.bucket_size();
}

}  // namespace traced
