// RowSamples keeps what percentiles over the calls of a row are told from.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/samples.h"
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

// Memory: 24 bytes per call, until there are Samples::kMostExact of a size.
class RowSamples {
 public:
  // The number of a size among those of this row.
  std::size_t numberOf(const CallSize& size);

  void add(const OperationSample& sample, std::size_t size_number) {
    if (sample.host_ns) host_ns_.add(*sample.host_ns);
    if (sample.wait_ns) wait_ns_.add(*sample.wait_ns);
    if (!sample.completion_ns) return;
    of_sizes_[size_number].completion_ns.add(*sample.completion_ns);
  }
  void add(RowSamples&& other);

  // Sets the times and bandwidths of a row.
  void summarize(ReportRow& row) &&;

 private:
  struct OfOneSize {
    CallSize size;
    Samples completion_ns;
  };

  void setBandwidths(ReportRow& row) const;

  Samples host_ns_;
  Samples wait_ns_;
  std::vector<OfOneSize> of_sizes_;
  absl::flat_hash_map<CallSize, std::size_t> numbers_;
};

}  // namespace traced
