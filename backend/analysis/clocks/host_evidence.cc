#include "analysis/clocks/host_evidence.h"

#include <algorithm>

#include "analysis/stream/clock_cursor.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Maximum error of an instant: the recorder derives its clock from the CPU's
// cycle counter (docs/reference/format.md, "Rows").
constexpr std::int64_t kReadingErrorNs = 2'000;

}  // namespace

void HostEvidence::add(const StreamTable& table,
                       absl::Span<const std::uint32_t> groups,
                       EvidenceTable& rows) {
  const MatchedCalls calls(table, groups);
  if (!calls.anyUsable()) return;
  for (const AssembledOperation& op : table.operations) {
    const MatchedCall* call = calls.of(op);
    if (!call) continue;
    const std::uint32_t row = rows.rowOf(call->key, op.seq, call->signature);
    const bool ended = between(op.issued, op.ended).has_value();
    if (op.failed) rows.row(row).unusable = true;
    if (!differencesFit(op.issued.ns()) ||
        (ended && !differencesFit(op.ended.ns()))) {
      continue;
    }
    const Part part{op.issued.ns(), ended ? op.ended.ns() : 0, row,
                    call->role.proves && ended, call->role.proven};
    std::uint32_t& known = rows.row(row).part;
    const bool is_own = known < parts_.size() && parts_[known].row == row;
    if (is_own && parts_[known].take(part)) continue;
    known = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back(part);
  }
}

// Among nearby parts the latest start and the earliest end bound the clock most
// tightly: an earlier start or later end adds nothing, as no clock drifts that
// fast.
bool HostEvidence::Part::take(const Part& other) {
  if (!areWeighed(issue_ns, other.issue_ns) ||
      !areWeighed(end_ns, other.end_ns)) {
    return false;
  }
  if (other.proven) {
    issue_ns = proven ? std::max(issue_ns, other.issue_ns) : other.issue_ns;
  }
  if (other.proves) {
    end_ns = proves ? std::min(end_ns, other.end_ns) : other.end_ns;
  }
  proven |= other.proven;
  proves |= other.proves;
  return true;
}

std::vector<ClockBound> HostEvidence::bounds(
    const EvidenceTable& rows, std::uint64_t max_drift_ppb) const {
  ClockBounds bounds(max_drift_ppb);
  for (const Part& part : parts_) {
    const EvidenceTable::Row& row = rows.row(part.row);
    if (row.unusable) continue;
    if (part.proven && row.end_before_ns != EvidenceTable::kNever) {
      bounds.addUpper(part.issue_ns,
                      row.end_before_ns - part.issue_ns + kReadingErrorNs);
    }
    if (part.proves && row.start_after_ns != EvidenceTable::kAlways) {
      bounds.addLower(part.end_ns,
                      row.start_after_ns - part.end_ns - kReadingErrorNs);
    }
  }
  return bounds.sorted();
}

void HostEvidence::contribute(const v1::ClockModel& clock,
                              EvidenceTable& rows) const {
  const ClockCursor cursor(clock);
  for (const Part& part : parts_) {
    EvidenceTable::Row& row = rows.row(part.row);
    if (part.proves) {
      const auto end = cursor.certifiedNs(part.end_ns);
      if (end && differencesFit(end->high_ns)) {
        row.end_before_ns =
            std::min(row.end_before_ns, end->high_ns + kReadingErrorNs);
      }
    }
    if (part.proven) {
      const auto start = cursor.certifiedNs(part.issue_ns);
      if (start && differencesFit(start->low_ns)) {
        row.start_after_ns =
            std::max(row.start_after_ns, start->low_ns - kReadingErrorNs);
      }
    }
  }
}

}  // namespace traced
