// RowSamples keeps what percentiles over the calls of a row are told from.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/report/operation_sample.h"
#include "analysis/report/report.h"

namespace traced {

// What of a call's size its bandwidths are told from.
struct CallSize {
  double message_bytes = 0;
  double bus_factor = -1;  // below 0: there are none

  bool operator==(const CallSize&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const CallSize& size) {
    return H::combine(std::move(hash), size.message_bytes, size.bus_factor);
  }
};

// Memory: 24 bytes per call.
class RowSamples {
 public:
  // The number of a size among those of this row.
  std::size_t numberOf(const CallSize& size);

  void add(const OperationSample& sample, std::size_t size_number) {
    if (sample.host_ns) host_ns_.push_back(*sample.host_ns);
    if (sample.wait_ns) wait_ns_.push_back(*sample.wait_ns);
    if (!sample.completion_ns) return;
    of_sizes_[size_number].completion_ns.push_back(*sample.completion_ns);
  }
  void add(RowSamples&& other);

  // What it is made of: times in no order, and those to the end by size.
  struct OfOneSize {
    CallSize size;
    std::vector<std::uint64_t> completion_ns;
  };
  RowSamples() = default;
  RowSamples(std::vector<std::uint64_t> host_ns,
             std::vector<std::uint64_t> wait_ns,
             std::vector<OfOneSize> of_sizes);
  const std::vector<std::uint64_t>& hostNs() const { return host_ns_; }
  const std::vector<std::uint64_t>& waitNs() const { return wait_ns_; }
  const std::vector<OfOneSize>& ofSizes() const { return of_sizes_; }

  // Sets the times and bandwidths of a row.
  void summarize(ReportRow& row) &&;

 private:
  std::vector<std::uint64_t> host_ns_;
  std::vector<std::uint64_t> wait_ns_;
  std::vector<OfOneSize> of_sizes_;
  absl::flat_hash_map<CallSize, std::size_t> numbers_;
};

}  // namespace traced
