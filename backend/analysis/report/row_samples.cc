#include "analysis/report/row_samples.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace traced {
namespace {

void append(std::vector<std::uint64_t>& to, std::vector<std::uint64_t>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

bool hasBandwidth(const CallSize& size) {
  return size.bus_factor >= 0 && size.message_bytes != 0;
}

// Bytes per nanosecond are 1e9 bytes per second.
double algbwOf(const CallSize& size, std::uint64_t ns) {
  return size.message_bytes / static_cast<double>(ns);
}

// Where all are of one size those of the median bandwidth took the median time,
// counted from the longest. Reorders the times.
void setBandwidths(const CallSize& size, std::vector<std::uint64_t>& times_ns,
                   ReportRow& row) {
  const auto none = std::count(times_ns.begin(), times_ns.end(), 0u);
  const std::size_t timed = times_ns.size() - static_cast<std::size_t>(none);
  if (timed == 0 || !hasBandwidth(size)) return;
  const auto place =
      times_ns.end() - 1 - static_cast<std::ptrdiff_t>(nearestRank(timed, 50));
  std::nth_element(times_ns.begin(), place, times_ns.end());
  row.algbw_gbs = algbwOf(size, *place);
  row.busbw_gbs = *row.algbw_gbs * size.bus_factor;
}

}  // namespace

RowSamples::RowSamples(std::vector<std::uint64_t> host_ns,
                       std::vector<std::uint64_t> wait_ns,
                       std::vector<OfOneSize> of_sizes)
    : host_ns_(std::move(host_ns)), wait_ns_(std::move(wait_ns)) {
  for (OfOneSize& of_size : of_sizes) {
    append(of_sizes_[numberOf(of_size.size)].completion_ns,
           std::move(of_size.completion_ns));
  }
}

std::size_t RowSamples::numberOf(const CallSize& size) {
  const auto [place, is_new] = numbers_.try_emplace(size, of_sizes_.size());
  if (is_new) of_sizes_.push_back({size, {}});
  return place->second;
}

void RowSamples::add(RowSamples&& other) {
  append(host_ns_, std::move(other.host_ns_));
  append(wait_ns_, std::move(other.wait_ns_));
  for (OfOneSize& from : other.of_sizes_) {
    append(of_sizes_[numberOf(from.size)].completion_ns,
           std::move(from.completion_ns));
  }
}

void RowSamples::summarize(ReportRow& row) && {
  row.host = traced::summarize(host_ns_);
  row.wait = traced::summarize(wait_ns_);
  if (of_sizes_.size() == 1) {
    OfOneSize& all = of_sizes_[0];
    row.completion = traced::summarize(all.completion_ns);
    setBandwidths(all.size, all.completion_ns, row);
    return;
  }
  std::vector<std::uint64_t> completion_ns;
  std::vector<double> algbw_gbs, busbw_gbs;
  for (OfOneSize& of_size : of_sizes_) {
    for (const std::uint64_t ns : of_size.completion_ns) {
      completion_ns.push_back(ns);
      if (ns == 0 || !hasBandwidth(of_size.size)) continue;
      algbw_gbs.push_back(algbwOf(of_size.size, ns));
      busbw_gbs.push_back(algbw_gbs.back() * of_size.size.bus_factor);
    }
    of_size.completion_ns = {};
  }
  row.completion = traced::summarize(completion_ns);
  if (algbw_gbs.empty()) return;
  row.algbw_gbs = medianOf(algbw_gbs);
  row.busbw_gbs = medianOf(busbw_gbs);
}

}  // namespace traced
