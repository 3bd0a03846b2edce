// Adds operations to the sums and samples of their rows.

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

// Durations of one operation; absent if an end of it is unknown.
struct OperationSample {
  std::optional<std::uint64_t> host_ns;
  std::optional<std::uint64_t> completion_ns;
  std::optional<std::uint64_t> wait_ns;
};

OperationSample sampleOf(const AssembledOperation& op);

// Attributes of an operation besides its times.
struct OperationMode {
  bool captured = false;
  // The operation has members of a coalesced batch.
  bool in_batch = false;
  bool unseen_wait = false;
};

// Adds one operation to `totals`, except its bytes and split times.
void addTo(CallTotals& totals, const AssembledOperation& op,
           const OperationSample& sample, const OperationMode& mode);

// The size of a call, as far as its bandwidths need it.
struct CallSize {
  double message_bytes = 0;
  double bus_factor = -1;  // negative: no bandwidth

  bool operator==(const CallSize&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const CallSize& size) {
    return H::combine(std::move(hash), size.message_bytes, size.bus_factor);
  }
};

// RowSamples keeps samples for percentiles over the calls of a row.
//
// First calls, see FirstCalls, count in sums only, unless the row has no
// others.
//
// Memory: 24 bytes per call, up to Samples::kMaxExact calls of a size.
class RowSamples {
 public:
  // Returns the number of a size within this row, adding it if needed.
  std::size_t numberOf(const CallSize& size);

  void addFirst(const OperationSample& sample, std::size_t size_number) {
    first_.push_back({sample, size_number});
  }
  void add(const OperationSample& sample, std::size_t size_number) {
    ++later_;
    if (sample.host_ns) host_ns_.add(*sample.host_ns);
    if (sample.wait_ns) wait_ns_.add(*sample.wait_ns);
    if (!sample.completion_ns) return;
    of_sizes_[size_number].completion_ns.add(*sample.completion_ns);
  }
  void add(RowSamples&& other);

  // Returns the number of calls that percentiles leave out.
  std::uint64_t leftOut() const { return later_ > 0 ? first_.size() : 0; }
  // Sets the times and bandwidths of a row.
  void summarize(ReportRow& row) &&;

 private:
  struct OfOneSize {
    CallSize size;
    Samples completion_ns;
  };

  // Sets the median bandwidths of the row. Leaves them absent if no call has
  // one.
  void setBandwidths(ReportRow& row) const;

  struct First {
    OperationSample sample;
    std::size_t size_number = 0;
  };
  // Adds first calls to the number and the sum of a row's times.
  void addFirst(ReportRow& row) const;

  std::vector<First> first_;
  // Number of other calls.
  std::uint64_t later_ = 0;
  Samples host_ns_;
  Samples wait_ns_;
  std::vector<OfOneSize> of_sizes_;
  absl::flat_hash_map<CallSize, std::size_t> numbers_;
};

// The combined size of a coalesced batch's members.
struct BatchSize {
  // Sum over members of S (trace_io/message_size.h), and of S times the bus
  // factor.
  std::uint64_t message_bytes = 0;
  double bus_bytes = 0;
  // Whether every member has a bandwidth.
  bool has_bandwidth = true;
};

class BatchSizes {
 public:
  // Stays empty for a stream that lost records: members could be missing.
  explicit BatchSizes(const StreamTable& table);

  // Returns the size of the batch that ends with `op`, or nullptr for any other
  // operation.
  const BatchSize* of(const StreamTable& table,
                      const AssembledOperation& op) const;

 private:
  absl::flat_hash_map<std::uint64_t, BatchSize> sizes_;
};

}  // namespace traced
