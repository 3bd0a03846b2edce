#include "analysis/diagnosis/job_state/local_findings.h"

#include <limits>
#include <utility>

#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

bool writesItsInput(const v1::Call& call) {
  const bool is_root = call.op() == v1::OPERATION_BROADCAST;
  // The root of a broadcast only reads. The call does not record the root, so
  // every broadcast counts as a read.
  return call.in_place() && !is_root;
}

// Returns until when the caller must not touch the buffers. Absent if no record
// shows it.
std::optional<std::int64_t> underWayUntil(const AssembledOperation& op,
                                          bool only_wait_ends) {
  if (op.failed) return std::nullopt;
  if (op.wait_ended.known()) return op.wait_ended.ns();
  // A program that waits for the future, as DDP does, may know the end before
  // it is recorded.
  if (op.ended.known()) {
    return isLateBound(op) ? std::nullopt : std::optional(op.ended.ns());
  }
  if (op.released.known()) return std::nullopt;
  return only_wait_ends ? std::optional(kForever) : std::nullopt;
}

}  // namespace

LocalFindings::LocalFindings(const StreamTable& table, MakeRef make_ref,
                             LastIssueNs last_issue_ns)
    : table_(table),
      make_ref_(std::move(make_ref)),
      last_issue_ns_(std::move(last_issue_ns)) {}

void LocalFindings::add(const AssembledOperation& op, const v1::Call& call,
                        const EngineTraits& engine) {
  const bool only_wait_ends = endsOnlyInWait(engine, call.op());
  if (op.buffers != 0) {
    findOverlap(op, call, only_wait_ends || waitsAtOnce(call));
  }
  if (only_wait_ends && isNeverWaited(op)) note(never_waited_, op, call);
}

// Returns whether the program dropped the Work without a wait and issued
// further operations.
bool LocalFindings::isNeverWaited(const AssembledOperation& op) const {
  return !op.ended.known() && !op.failed && !op.wait_began.known() &&
         op.batch == 0 && op.released.known() &&
         op.released.ns() < last_issue_ns_();
}

void LocalFindings::findOverlap(const AssembledOperation& op,
                                const v1::Call& call, bool only_wait_ends) {
  const auto until_ns = underWayUntil(op, only_wait_ends);
  if (!until_ns) return;
  std::erase_if(under_way_, [&op](const UnderWay& before) {
    return before.until_ns <= op.issued.ns();
  });
  const bool alone = under_way_.empty() && waitsAtOnce(call);
  if (alone) return;
  UnderWay now{&op, *until_ns, usesOf(op, call)};
  for (const UnderWay& before : under_way_) {
    if (!collide(before.uses, now.uses)) continue;
    note(overlap_, op, call, before.op);
    break;
  }
  constexpr std::size_t kMax = 256;
  if (under_way_.size() < kMax && !now.uses.empty()) {
    under_way_.push_back(std::move(now));
  }
}

LocalFindings::Uses LocalFindings::usesOf(const AssembledOperation& op,
                                          const v1::Call& call) const {
  Uses uses;
  const auto buffers = table_.definitions.buffers(op.buffers);
  // If ranges were cut, inputs and outputs cannot be distinguished.
  if (!buffers || buffers->cut > 0) return uses;
  // An in-place operation has no separate outputs.
  const std::size_t outputs = call.in_place() ? 0 : call.tensors_out();
  const bool has_all =
      buffers->ranges.size() == std::size_t{call.tensors_in()} + outputs;
  std::size_t index = 0;
  for (const v1::BufferRange& range : buffers->ranges) {
    const bool is_input = index++ < call.tensors_in();
    if (range.span_bytes() == 0 || range.storage() == 0) continue;
    const std::uint64_t begin = range.storage() + range.offset_bytes();
    uses.push_back({begin, begin + range.span_bytes(),
                    has_all && (is_input ? writesItsInput(call) : true)});
  }
  return uses;
}

bool LocalFindings::collide(const Uses& a, const Uses& b) {
  for (const Use& x : a) {
    for (const Use& y : b) {
      if ((x.writes || y.writes) && x.begin < y.end && y.begin < x.end) {
        return true;
      }
    }
  }
  return false;
}

void LocalFindings::note(std::optional<LocalFinding>& finding,
                         const AssembledOperation& op, const v1::Call& call,
                         const AssembledOperation* other) {
  if (finding) {
    ++finding->repeats;
    return;
  }
  finding = LocalFinding{make_ref_(op, call), std::nullopt, 1};
  if (other) finding->other = make_ref_(*other, *table_.callOf(*other));
}

void LocalFindings::addTo(RankState& state) && {
  state.overlap = std::move(overlap_);
  // An exception or the end of the program may also drop a Work: that is no
  // fault.
  if (!state.first_failure) state.never_waited = std::move(never_waited_);
}

}  // namespace traced
