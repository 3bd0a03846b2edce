#include "analysis/diagnosis/local_findings.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/operation_kinds.h"

namespace traced {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

struct Use {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool writes = false;
};

// An operation under way, as its caller can know it: until its wait returned,
// or, without one, until its end.
struct UnderWay {
  const AssembledOperation* op = nullptr;
  std::int64_t until_ns = 0;
  std::vector<Use> uses;
};

// Whether the engine may run two operations of the group at once. Those of NCCL
// follow each other on their stream.
bool runsConcurrently(const StreamTable& table, const v1::Call& call) {
  const std::uint32_t group = table.groupOf(call);
  return group != StreamDefinitions::kNone &&
         table.definitions.groups()[group].backend == "gloo";
}

bool writesItsInput(const v1::Call& call) {
  const bool is_root = call.op() == v1::OPERATION_BROADCAST;
  // The root of a broadcast only reads; which rank that is does not matter for
  // two broadcasts of one buffer, so they are taken as reads.
  return call.in_place() && !is_root;
}

std::vector<Use> usesOf(const StreamTable& table, const AssembledOperation& op,
                        const v1::Call& call) {
  std::vector<Use> uses;
  const auto buffers = table.definitions.buffers(op.buffers);
  // With a range that was cut, inputs and outputs cannot be told apart.
  if (!buffers || buffers->cut > 0) return uses;
  // The outputs of an operation in place are its inputs.
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

bool collide(const std::vector<Use>& a, const std::vector<Use>& b) {
  for (const Use& x : a) {
    for (const Use& y : b) {
      if ((x.writes || y.writes) && x.begin < y.end && y.begin < x.end) {
        return true;
      }
    }
  }
  return false;
}

// Until when the caller must leave the buffers alone. Absent where no record
// tells.
std::optional<std::int64_t> underWayUntil(const AssembledOperation& op) {
  if (op.failed) return std::nullopt;
  if (op.wait_ended.known()) return op.wait_ended.ns();
  if (op.ended.known()) return op.ended.ns();
  if (op.released.known()) return std::nullopt;
  return kForever;
}

void note(std::optional<LocalFinding>& finding, const OperationRef& operation,
          std::optional<OperationRef> other) {
  if (finding) {
    ++finding->repeats;
  } else {
    finding = LocalFinding{operation, std::move(other), 1};
  }
}

class OverlapFinder {
 public:
  OverlapFinder(const StreamTable& table, RankState& state,
                const MakeRef& make_ref)
      : table_(table), state_(state), make_ref_(make_ref) {}

  // Operations come in the order of their issue.
  void add(const AssembledOperation& op, const v1::Call& call) {
    const auto until_ns = underWayUntil(op);
    if (op.buffers == 0 || !until_ns || !runsConcurrently(table_, call)) return;
    std::erase_if(under_way_, [&op](const UnderWay& before) {
      return before.until_ns <= op.issued.ns();
    });
    const bool alone = under_way_.empty() && call.has_async() && !call.async();
    if (alone) return;
    UnderWay now{&op, *until_ns, usesOf(table_, op, call)};
    for (const UnderWay& before : under_way_) {
      if (!collide(before.uses, now.uses)) continue;
      note(state_.overlap, make_ref_(op, call),
           make_ref_(*before.op, *table_.callOf(*before.op)));
      break;
    }
    constexpr std::size_t kMost = 256;
    if (under_way_.size() < kMost && !now.uses.empty()) {
      under_way_.push_back(std::move(now));
    }
  }

 private:
  const StreamTable& table_;
  RankState& state_;
  const MakeRef& make_ref_;
  std::vector<UnderWay> under_way_;
};

// The Work was dropped without a wait while the program went on, and nothing
// else ever completes the operation: Gloo does these in the caller's wait.
bool isNeverWaited(const StreamTable& table, const AssembledOperation& op,
                   const v1::Call& call) {
  return glooEndsOnlyInWait(call.op()) && runsConcurrently(table, call) &&
         !op.failed && !op.ended.known() && !op.wait_began.known() &&
         op.batch == 0 && op.released.known();
}

}  // namespace

void findLocal(const StreamTable& table, bool whole, RankState& state,
               const MakeRef& make_ref) {
  if (!whole) return;
  OverlapFinder overlaps(table, state, make_ref);
  std::int64_t last_issue_ns = std::numeric_limits<std::int64_t>::min();
  for (const AssembledOperation& op : table.operations) {
    last_issue_ns = std::max(last_issue_ns, op.issued.ns());
  }
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (!call || call->simulated()) continue;
    overlaps.add(op, *call);
    // What an exception or the end of the program drops is no neglect.
    const bool went_on = state.last_issued && !state.first_failure &&
                         op.released.known() &&
                         op.released.ns() < last_issue_ns;
    if (went_on && isNeverWaited(table, op, *call)) {
      note(state.never_waited, make_ref(op, *call), std::nullopt);
    }
  }
}

}  // namespace traced
