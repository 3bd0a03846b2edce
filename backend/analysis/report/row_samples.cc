#include "analysis/report/row_samples.h"

#include <utility>

namespace traced {
namespace {

bool hasBandwidth(const CallSize& size) {
  return size.bus_factor >= 0 && size.message_bytes != 0;
}

// Bytes per nanosecond are 1e9 bytes per second.
double algbwOf(const CallSize& size, std::uint64_t ns) {
  return size.message_bytes / static_cast<double>(ns);
}

}  // namespace

std::size_t RowSamples::numberOf(const CallSize& size) {
  const auto [place, is_new] = numbers_.try_emplace(size, of_sizes_.size());
  if (is_new) of_sizes_.push_back({size, {}});
  return place->second;
}

void RowSamples::add(RowSamples&& other) {
  host_ns_.add(std::move(other.host_ns_));
  wait_ns_.add(std::move(other.wait_ns_));
  for (OfOneSize& from : other.of_sizes_) {
    of_sizes_[numberOf(from.size)].completion_ns.add(
        std::move(from.completion_ns));
  }
}

void RowSamples::summarize(ReportRow& row) && {
  row.host = std::move(host_ns_).summarize();
  row.wait = std::move(wait_ns_).summarize();
  setBandwidths(row);
  Samples completion_ns;
  for (OfOneSize& of_size : of_sizes_) {
    completion_ns.add(std::move(of_size.completion_ns));
  }
  row.completion = std::move(completion_ns).summarize();
}

void RowSamples::setBandwidths(ReportRow& row) const {
  Weighted algbw_gbs, busbw_gbs;
  for (const OfOneSize& of_size : of_sizes_) {
    if (!hasBandwidth(of_size.size)) continue;
    of_size.completion_ns.each([&](std::uint64_t ns, std::uint64_t count) {
      if (ns == 0) return;
      const double algbw = algbwOf(of_size.size, ns);
      algbw_gbs.emplace_back(algbw, count);
      busbw_gbs.emplace_back(algbw * of_size.size.bus_factor, count);
    });
  }
  if (algbw_gbs.empty()) return;
  row.algbw_gbs = medianOf(algbw_gbs);
  row.busbw_gbs = medianOf(busbw_gbs);
}

}  // namespace traced
