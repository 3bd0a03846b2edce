// What the operations of a run prove about its clocks.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/clocks/clock_bounds.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/operation_index.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// What is known of the collectives of a run, on the common time line: the
// earliest end that proves starts, and the latest start that ends prove.
class EvidenceTable {
 public:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kAlways =
      std::numeric_limits<std::int64_t>::min();

  struct Row {
    std::uint64_t signature = 0;
    // Common time: the earliest end was not after this, the latest start not
    // before that.
    std::int64_t end_before_ns = kNever;
    std::int64_t start_after_ns = kAlways;
    // For whoever adds parts of it: where the latest one is.
    std::uint32_t part = 0;
    // Ranks called different things, or a call failed: proves nothing.
    bool unusable = false;
  };

  // The row of an operation, which every rank must call with one signature.
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

// HostEvidence is what the streams of one clock say of the operations they took
// part in.
class HostEvidence {
 public:
  // Adds the operations of a stream and opens their rows in `rows`. `groups`:
  // as MatchedCalls takes them.
  void add(const StreamTable& table, absl::Span<const std::uint32_t> groups,
           EvidenceTable& rows);

  // Begins with another host.
  void clear() { parts_.clear(); }

  // What the rows, as far as other hosts filled them, say of this clock.
  std::vector<ClockBound> bounds(const EvidenceTable& rows,
                                 std::uint64_t max_drift_ppb) const;

  // Fills the rows with what this host proves, by its certified clock.
  void contribute(const v1::ClockModel& clock, EvidenceTable& rows) const;

 private:
  // Of the streams' parts in one operation: the earliest end that proves
  // starts, and the latest start that ends prove. All others say less.
  struct Part {
    std::int64_t issue_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t row = 0;
    bool proves = false;  // and its end is known
    bool proven = false;

    // False where that is far apart, so that both are of use.
    bool take(const Part& other);
  };

  // What is of one row is together, but for what is far apart.
  std::vector<Part> parts_;
};

}  // namespace traced
