// What operations add to the sums and samples that they are part of.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/samples.h"
#include "analysis/report/report.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct OperationSample {
  std::optional<std::uint64_t> host_ns;
  std::optional<std::uint64_t> completion_ns;
  std::optional<std::uint64_t> wait_ns;
};

OperationSample sampleOf(const AssembledOperation& op);

// What is said of an operation besides its times.
struct OperationMode {
  bool captured = false;
  // It has members of a coalesced batch.
  bool in_batch = false;
  bool unseen_wait = false;
};

void addTo(CallTotals& totals, const AssembledOperation& op,
           const OperationSample& sample, const OperationMode& manner);

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

// RowSamples keeps what percentiles over the calls of a row are told from.
//
// Memory: 24 bytes per call, until there are Samples::kMaxExact of a size.
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

// How much the coalesced batches of one stream moved: their members together.
struct BatchSize {
  // The sum of S (trace_io/message_size.h) of the members, and of S times their
  // bus factors.
  std::uint64_t message_bytes = 0;
  double bus_bytes = 0;
  // Every member has a bandwidth.
  bool has_bandwidth = true;
};

class BatchSizes {
 public:
  // Knows none of a stream that lost records: members may be among them.
  explicit BatchSizes(const StreamTable& table);

  // Of the operation that a batch ends with; nullptr for any other.
  const BatchSize* of(const StreamTable& table,
                      const AssembledOperation& op) const;

 private:
  absl::flat_hash_map<std::uint64_t, BatchSize> sizes_;
};

}  // namespace traced
