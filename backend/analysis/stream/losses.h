// Losses collects what a trace lacks, over all streams read.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// One kind of loss: its amount and the affected ranks.
struct Loss {
  enum class What : std::uint8_t {
    // Records dropped while recording; records written but not found.
    kDropped,
    kMissing,
    kGaps,
    kRefusedBytes,
    // Chunks with unknown compression, with columns of different lengths, and
    // overlapping others.
    kUnknownCompression,
    kBrokenTables,
    kOverlapping,
    kRefusedGroups,
    // Records that a dump no longer held or was configured to omit.
    kNotInDump,
    // Streams of killed processes, completed from files or only from shared
    // memory; of running processes; without an end; made from a dump.
    kRecovered,
    kFromDeadRing,
    kRunning,
    kCutShort,
    kSnapshot,
  };

  What what = What::kDropped;
  std::uint64_t total = 0;
  std::vector<std::uint32_t> ranks;
  // For kDropped: number of records by reason.
  absl::btree_map<std::string, std::uint64_t> reasons;
  // For kCutShort: hosts whose shared memory may hold the ends; empty if it was
  // not searched.
  std::vector<std::string> hosts;
};

class Losses {
 public:
  // Add streams in ascending order of rank.
  void add(const StreamTable& table);

  std::uint64_t produced() const { return produced_; }
  std::uint64_t stored() const { return stored_; }
  std::uint64_t found() const { return found_; }
  std::uint64_t missing() const { return missing_.total; }
  std::uint64_t refusedBytes() const { return refused_bytes_.total; }
  std::uint64_t gaps() const { return gaps_.total; }
  // Number of dropped records by reason.
  const absl::btree_map<std::string, std::uint64_t>& dropped() const {
    return dropped_;
  }
  std::uint64_t droppedTotal() const { return dropped_ranks_.total; }
  // Number of records that Flight Recorder dumps no longer held or were
  // configured to omit.
  std::uint64_t notInDumps() const { return not_in_dump_.total; }
  // Ranks whose stream was not closed.
  const std::vector<std::uint32_t>& notClosed() const {
    return not_closed_.ranks;
  }

  // Ranks whose process was running when the trace was read.
  const std::vector<std::uint32_t>& running() const { return running_.ranks; }
  // Ranks whose end is unknown. They may lack more records than missing()
  // counts.
  const std::vector<std::uint32_t>& endUnknown() const { return end_unknown_; }

  // Returns whether anything was lost. An unclosed stream alone is not a loss.
  bool any() const;
  // Returns every kind of loss, including streams that are merely unclosed or
  // running.
  std::vector<Loss> all() const;

 private:
  // Amount of one kind, and the affected ranks.
  struct Tally {
    std::uint64_t total = 0;
    std::vector<std::uint32_t> ranks;

    void add(std::uint32_t rank, std::uint64_t amount);
  };

  absl::btree_map<std::string, std::uint64_t> dropped_;
  std::uint64_t produced_ = 0;
  std::uint64_t stored_ = 0;
  std::uint64_t found_ = 0;
  std::vector<std::uint32_t> end_unknown_;
  // Hosts of streams without an end, and whether some of their shared memory
  // was not searched.
  absl::btree_set<std::string> elsewhere_;
  bool left_out_rings_ = false;
  Tally dropped_ranks_, missing_, refused_bytes_, skipped_, broken_,
      overlapping_, gaps_, not_closed_, recovered_, from_dead_ring_, running_,
      cut_short_, refused_groups_, not_in_dump_, snapshot_;
};

}  // namespace traced
