// RunSummary holds the figures about a run as a whole.

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
  // Times when the program switched tracing off, over all ranks.
  struct Pauses {
    std::vector<std::uint32_t> ranks;
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;
    // The maximum over ranks.
    std::uint64_t most_count = 0;
    std::uint64_t most_ns = 0;
  };

  // Operations that TRACED_SCOPE left out, over all ranks.
  struct LeftOut {
    std::uint64_t operations = 0;
    std::vector<std::uint32_t> ranks;
  };

  // Figures about device times, over all ranks.
  struct DeviceTimes {
    // The worst error bound of any rank. Absent without device times.
    std::optional<std::uint64_t> error_ns;
    // Number of operations and waits without device times, and their ranks.
    std::uint64_t untimed = 0;
    std::vector<std::uint32_t> ranks;
    // The reason on the rank with the most of these.
    std::uint64_t most = 0;
    std::uint32_t most_rank = 0;
    std::string why;
  };

  // A rank whose stream ends in records found only in its ring.
  struct FromRing {
    std::uint32_t rank = 0;
    std::uint64_t span_ns = 0;
    // The process was alive when the ring was read.
    bool alive = false;
  };

  // Adds a stream. Must be called in order of ranks.
  void add(const StreamTable& table) { add(table, table.operations.size()); }
  // Adds a table from which operations, including simulated ones, were removed.
  // `operations` is the original number.
  void add(const StreamTable& table, std::uint64_t operations);

  const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  std::uint32_t worldSize() const { return world_size_; }
  // Returns the ranks of the job without a stream as text, for example "3,5-7".
  // Empty if none.
  std::string absentRanks() const;
  // Returns whether the streams are Flight Recorder dumps, which contain no
  // host and no torch version.
  bool fromDumps() const { return from_dumps_; }
  const absl::btree_set<std::string>& hosts() const { return hosts_; }
  const absl::btree_set<std::string>& torchVersions() const {
    return torch_versions_;
  }
  const absl::btree_set<std::string>& backends() const { return backends_; }
  // Excludes simulated operations.
  std::uint64_t operations() const { return operations_; }
  std::uint64_t simulated() const { return simulated_; }
  const Pauses& pauses() const { return pauses_; }
  const LeftOut& leftOut() const { return left_out_; }
  const DeviceTimes& deviceTimes() const { return device_times_; }
  const std::vector<FromRing>& fromRings() const { return from_rings_; }
  // Returns the longest run of a rank, in ns.
  std::uint64_t longestRunNs() const { return longest_run_ns_; }
  // Time from a rank's first operation to its last, in ns: the maximum and the
  // sum over all ranks. The sum is the base of all shares.
  std::uint64_t longestRankTimeNs() const { return longest_rank_time_ns_; }
  std::uint64_t rankTimeNs() const { return rank_time_ns_; }
  // Time from the start of the recording to a rank's first operation, and from
  // its last operation to its last record, in ns: the maxima over all ranks.
  std::uint64_t longestStartUpNs() const { return longest_start_up_ns_; }
  std::uint64_t longestTearDownNs() const { return longest_tear_down_ns_; }
  const Losses& losses() const { return losses_; }
  // Warnings about clocks that stepped or could not be aligned.
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
  std::uint64_t longest_start_up_ns_ = 0;
  std::uint64_t longest_tear_down_ns_ = 0;
  Losses losses_;
  std::vector<ClockWarning> clock_warnings_;
};

// Returns the number of input bytes that could not be used, including refused
// chunks.
std::uint64_t unusableBytes(const TraceSet& set, const RunSummary& summary);

}  // namespace traced
