// HostEvidence is what the streams of one clock say of the operations they took
// part in.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/clocks/clock_bounds.h"
#include "analysis/job/evidence_table.h"
#include "analysis/job/matched_calls.h"
#include "traced/v1/clock.pb.h"

namespace traced {

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
