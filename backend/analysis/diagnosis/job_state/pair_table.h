// PairTable pairs sends with receives by sequence number, per group and ordered
// pair of ranks. Runs of equal messages are stored once.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "analysis/diagnosis/job_state/collective_table.h"
#include "analysis/diagnosis/job_state/timing.h"

namespace traced {

struct PairKey {
  std::uint32_t group = 0;
  // Global ranks.
  std::uint32_t source = 0;
  std::uint32_t destination = 0;

  auto operator<=>(const PairKey&) const = default;
};

// One side of a pair: its sends or its receives.
class PairSide {
 public:
  // Adds a message, in ascending order of `seq`. Ignores repeated numbers.
  // `message`: the number of its signature in the job's SignatureTable.
  void add(std::uint64_t seq, std::uint32_t message, Reached reached,
           bool is_in_batch);
  // Counts a receive from any source whose actual source was this peer. Such a
  // receive has no number.
  void addUnnumbered() { ++unnumbered_; }
  // Adds the timing of a sampled message, in ascending order of `seq`.
  void addTiming(const Timing& timing) { timings_.push_back(timing); }

  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  std::uint64_t unnumbered() const { return unnumbered_; }
  // Returns whether some messages belong to a batch and some do not.
  bool mixesBatches() const { return in_batch_ && alone_; }
  // Returns whether this side has message `seq`.
  bool has(std::uint64_t seq) const {
    return seq >= first_ && seq <= last_ && first_ > 0 && !holes_.contains(seq);
  }
  // Returns the number of the signature of message `seq`, in the job's
  // SignatureTable. Requires has(seq).
  std::uint32_t messageAt(std::uint64_t seq) const;
  const SeqRanges& holes() const { return holes_; }
  const SeqRanges& failed() const { return failed_; }
  const SeqRanges& inside() const { return inside_; }
  // A run of equal messages: allows a quick comparison of equal sides.
  struct Run {
    std::uint64_t first;
    std::uint32_t message;
  };
  const std::vector<Run>& runs() const { return runs_; }
  // The timings of the sampled messages, in ascending order of `seq`.
  const Timings& timings() const { return timings_; }
  Timings& timings() { return timings_; }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t unnumbered_ = 0;
  bool in_batch_ = false;
  bool alone_ = false;
  std::vector<Run> runs_;
  Timings timings_;
  SeqRanges holes_, failed_, inside_;
};

struct MessagePair {
  PairSide sends;
  PairSide receives;
};

// Values are pointers, so a pair's address is stable.
using PairTable = absl::btree_map<PairKey, std::unique_ptr<MessagePair>>;

}  // namespace traced
