// Collects what the operations of a run prove about its clocks.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/clocks/clock_bounds.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/operation_index.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// EvidenceTable holds what is known of each collective, in common time: the
// earliest end that proves starts, and the latest start that ends prove.
class EvidenceTable {
 public:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kAlways =
      std::numeric_limits<std::int64_t>::min();

  struct Row {
    std::uint64_t signature = 0;
    // Common time: an upper bound of the earliest end, and a lower bound of the
    // latest start.
    std::int64_t end_before_ns = kNever;
    std::int64_t start_after_ns = kAlways;
    // Scratch for HostEvidence: index of the latest part of this row.
    std::uint32_t part = 0;
    // The ranks' calls differ or a call failed: the row proves nothing.
    bool unusable = false;
  };

  // Returns the row of an operation, adding it if needed. A row becomes
  // unusable if ranks call it with different signatures.
  std::uint32_t rowOf(const OperationKey& key, std::uint64_t seq,
                      std::uint64_t signature) {
    const auto next = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t index = index_.at(key, seq, next);
    if (index == next) rows_.push_back({.signature = signature});
    Row& row = rows_[index];
    row.unusable |= row.signature != signature;
    return index;
  }

  Row& row(std::uint32_t index) { return rows_[index]; }
  const Row& row(std::uint32_t index) const { return rows_[index]; }

 private:
  std::vector<Row> rows_;
  OperationIndex index_;
};

// HostEvidence collects what the streams of one clock prove by the operations
// they took part in.
class HostEvidence {
 public:
  // Adds the operations of a stream and creates their rows in `rows`. `groups`:
  // see MatchedCalls.
  void add(const StreamTable& table, absl::Span<const std::uint32_t> groups,
           EvidenceTable& rows);

  // Starts over for another host.
  void clear() { parts_.clear(); }

  // Returns the bounds of this clock that follow from the rows as far as other
  // hosts have filled them.
  std::vector<ClockBound> bounds(const EvidenceTable& rows,
                                 std::uint64_t max_drift_ppb) const;

  // Adds what this host proves to the rows, using its certified clock.
  void contribute(const v1::ClockModel& clock, EvidenceTable& rows) const;

 private:
  // The relevant times of one operation: the earliest end that proves starts,
  // and the latest start that ends prove. The other times of this host's
  // streams prove less.
  struct Part {
    std::int64_t issue_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t row = 0;
    bool proves = false;  // and the end is known
    bool proven = false;

    // Merges `other` into this part. Returns false if they are too far apart in
    // time to be compared; then both are kept.
    bool take(const Part& other);
  };

  // One part per row, or several if their times are far apart.
  std::vector<Part> parts_;
};

}  // namespace traced
