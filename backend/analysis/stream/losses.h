// Losses says what a trace does not hold, over all streams that were read.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// How much of one kind is not there, and on which ranks.
struct Loss {
  enum class What : std::uint8_t {
    // Records: dropped while recording, written but not found.
    kDropped,
    kMissing,
    kGaps,
    kRefusedBytes,
    // Chunks: compressed in an unknown way, with columns that differ in length,
    // overlapping others.
    kUnknownCompression,
    kBrokenTables,
    kOverlapping,
    kRefusedGroups,
    // Records that a dump no longer held, or was told to leave out.
    kNotInDump,
    // Streams: of killed processes, whose end is in files, or only in a ring;
    // of processes that live; without an end; made from a dump.
    kRecovered,
    kFromDeadRing,
    kRunning,
    kCutShort,
    kSnapshot,
  };

  What what = What::kDropped;
  std::uint64_t total = 0;
  std::vector<std::uint32_t> ranks;
  // Of kDropped: records by the name of the reason.
  absl::btree_map<std::string, std::uint64_t> reasons;
  // Of kCutShort: in whose shared memory the ends may be; none where nobody
  // looked.
  std::vector<std::string> hosts;
};

class Losses {
 public:
  // Streams are added in the order of their ranks.
  void add(const StreamTable& table);

  std::uint64_t produced() const { return produced_; }
  std::uint64_t stored() const { return stored_; }
  std::uint64_t found() const { return found_; }
  std::uint64_t missing() const { return missing_.total; }
  std::uint64_t refusedBytes() const { return refused_bytes_.total; }
  std::uint64_t gaps() const { return gaps_.total; }
  // Records dropped, by the name of the reason.
  const absl::btree_map<std::string, std::uint64_t>& dropped() const {
    return dropped_;
  }
  std::uint64_t droppedTotal() const { return dropped_ranks_.total; }
  // Records that Flight Recorder dumps no longer held, or were told to leave
  // out.
  std::uint64_t notInDumps() const { return not_in_dump_.total; }
  // Ranks whose stream does not say that it was closed.
  const std::vector<std::uint32_t>& notClosed() const {
    return not_closed_.ranks;
  }

  // Ranks whose process had not ended when it was read.
  const std::vector<std::uint32_t>& running() const { return running_.ranks; }
  // Ranks whose end is not known, so that more may be missing than missing().
  const std::vector<std::uint32_t>& endUnknown() const { return end_unknown_; }

  // Whether anything was lost; an unclosed stream alone is none.
  bool any() const;
  // Every kind of loss that there is.
  std::vector<Loss> all() const;

 private:
  // How much of one kind, and on which ranks.
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
  // Where what is not known may be, and whether nobody looked.
  absl::btree_set<std::string> elsewhere_;
  bool left_out_rings_ = false;
  Tally dropped_ranks_, missing_, refused_bytes_, skipped_, broken_,
      overlapping_, gaps_, not_closed_, recovered_, from_dead_ring_, running_,
      cut_short_, refused_groups_, not_in_dump_, snapshot_;
};

}  // namespace traced
