// RunSummary is what the first line about a run says.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "analysis/job/clock_warning.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/losses.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class RunSummary {
 public:
  // Tracing switched off by the program, over all ranks.
  struct Pauses {
    std::vector<std::uint32_t> ranks;
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;
    // Of the rank that has most of it.
    std::uint64_t most_count = 0;
    std::uint64_t most_ns = 0;
  };

  // Operations that TRACED_SCOPE left out, over all ranks.
  struct LeftOut {
    std::uint64_t operations = 0;
    std::vector<std::uint32_t> ranks;
  };

  // What is said of device times, over all ranks.
  struct DeviceTimes {
    // The worst bound of a rank; absent: there are none.
    std::optional<std::uint64_t> error_ns;
    // How many operations and waits have none, and on which ranks.
    std::uint64_t untimed = 0;
    std::vector<std::uint32_t> ranks;
    // Why, on the rank that lacks most.
    std::uint64_t most = 0;
    std::uint32_t most_rank = 0;
    std::string why;
  };

  // The end of a rank's stream that was found in its ring only.
  struct FromRing {
    std::uint32_t rank = 0;
    std::uint64_t span_ns = 0;
    // Its process lived when it was read.
    bool alive = false;
  };

  // Streams are added in the order of their ranks.
  void add(const StreamTable& table) { add(table, table.operations.size()); }
  // Of a table from which operations, simulated ones too, were taken.
  void add(const StreamTable& table, std::uint64_t operations);

  const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  std::uint32_t worldSize() const { return world_size_; }
  // Ranks of the job without a stream, as text: "3,5-7"; empty when none.
  std::string absentRanks() const;
  // Whether the streams are Flight Recorder dumps, which name no host and no
  // version of torch.
  bool fromDumps() const { return from_dumps_; }
  const absl::btree_set<std::string>& hosts() const { return hosts_; }
  const absl::btree_set<std::string>& torchVersions() const {
    return torch_versions_;
  }
  const absl::btree_set<std::string>& backends() const { return backends_; }
  // Without simulated ones.
  std::uint64_t operations() const { return operations_; }
  std::uint64_t simulated() const { return simulated_; }
  const Pauses& pauses() const { return pauses_; }
  const LeftOut& leftOut() const { return left_out_; }
  const DeviceTimes& deviceTimes() const { return device_times_; }
  const std::vector<FromRing>& fromRings() const { return from_rings_; }
  // The longest run of a rank.
  std::uint64_t longestRunNs() const { return longest_run_ns_; }
  // From a rank's first operation to its last: the longest, and the sum over
  // all ranks, which shares are of.
  std::uint64_t longestRankTimeNs() const { return longest_rank_time_ns_; }
  std::uint64_t rankTimeNs() const { return rank_time_ns_; }
  const Losses& losses() const { return losses_; }
  // About clocks that stepped or could not be aligned.
  const std::vector<ClockWarning>& clockWarnings() const {
    return clock_warnings_;
  }
  void setClockWarnings(std::vector<ClockWarning> warnings) {
    clock_warnings_ = std::move(warnings);
  }

 private:
  void addPauses(const StreamTable& table);
  void addDeviceTimes(const StreamTable& table);

  std::vector<std::uint32_t> ranks_;
  std::uint32_t world_size_ = 0;
  bool from_dumps_ = false;
  absl::btree_set<std::string> hosts_;
  absl::btree_set<std::string> torch_versions_;
  absl::btree_set<std::string> backends_;
  std::uint64_t operations_ = 0;
  std::uint64_t simulated_ = 0;
  Pauses pauses_;
  LeftOut left_out_;
  DeviceTimes device_times_;
  std::vector<FromRing> from_rings_;
  std::uint64_t longest_run_ns_ = 0;
  std::uint64_t longest_rank_time_ns_ = 0;
  std::uint64_t rank_time_ns_ = 0;
  Losses losses_;
  std::vector<ClockWarning> clock_warnings_;
};

// Bytes of the inputs that could not be used, with those of refused chunks.
std::uint64_t unusableBytes(const TraceSet& set, const RunSummary& summary);

}  // namespace traced
