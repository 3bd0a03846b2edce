#include "analysis/diagnosis/verdicts/actions.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <set>
#include <variant>

#include "absl/strings/match.h"

namespace traced {
namespace {

// Returns the fact of this type in a list, or nullptr.
template <typename Family, typename Type>
const Type* factIn(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    const auto* family = std::get_if<Family>(&fact);
    if (!family) continue;
    if (const auto* found = std::get_if<Type>(family)) return found;
  }
  return nullptr;
}

bool hasPlain(const std::vector<Fact>& facts, PlainFact wanted) {
  return std::any_of(facts.begin(), facts.end(), [&](const Fact& fact) {
    const auto* plain = std::get_if<PlainFact>(&fact);
    return plain && *plain == wanted;
  });
}

// Returns the ranks that an action is about.
const Ranks& concernedRanks(const JobVerdict& verdict) {
  return verdict.culprits.empty() ? verdict.ranks : verdict.culprits;
}

// Returns whether a rank's errors quote CUDA's text for a fault of the device
// or of its links.
bool reportsHardware(const RankState& rank) {
  const auto quotes = [](const std::string& text) {
    return absl::StrContains(text, "uncorrectable ECC error") ||
           absl::StrContains(text, "uncorrectable NVLink error");
  };
  return quotes(rank.end.exception) ||
         (rank.first_failure && quotes(rank.first_failure->error));
}

// Returns the rule for how a process ended. Absent if that is unknown.
std::optional<ActionRule> ruleOfEnd(const ProcessEnd& end) {
  switch (end.kind) {
    case EndKind::kInOrder:
      return ActionRule::kEndedInOrder;
    case EndKind::kRaised:
      return end.wasInterrupted() ? ActionRule::kEndedFromOutside
                                  : ActionRule::kException;
    case EndKind::kExited:
      return ActionRule::kExitCode;
    case EndKind::kKilled:
      if (end.oom_killed) return ActionRule::kOutOfMemory;
      if (!end.wasKilled()) return ActionRule::kCrashed;
      return end.signal == SIGINT ? ActionRule::kEndedFromOutside
                                  : ActionRule::kKilled;
    case EndKind::kDied:
      return end.oom_killed ? ActionRule::kOutOfMemory : ActionRule::kDied;
    case EndKind::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

// Returns the rule for the first of the ranks whose end is recorded.
ActionRule ruleOfEnds(const JobState& job, const Ranks& ranks) {
  for (const std::uint32_t rank : ranks) {
    const RankState* state = job.rank(rank);
    if (!state) continue;
    if (const auto rule = ruleOfEnd(state->end)) return *rule;
  }
  return ActionRule::kDied;
}

bool anyEndedInOrder(const JobState& job, const Ranks& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
    const RankState* state = job.rank(rank);
    return state && state->end.kind == EndKind::kInOrder;
  });
}

// Returns whether calls show that a rank left the program's order.
bool leftCallOrder(const JobVerdict& verdict) {
  const auto* site = factIn<CallFact, CalledElsewhere>(verdict.summary);
  return (site && site->likely != CalledElsewhere::Likely::kUnknown) ||
         factIn<StuckGroupFact, OnlyTheseCalled>(verdict.summary) ||
         factIn<CallFact, ContinuedDifferently>(verdict.reasons) ||
         factIn<CallFact, BrokeHabit>(verdict.reasons);
}

// Returns the rule for a rank that others wait for.
ActionRule ruleOfAbsence(const JobState& job, const JobVerdict& verdict) {
  if (hasPlain(verdict.reasons, PlainFact::kAllWereEnded)) {
    return ActionRule::kEndedFromOutside;
  }
  if (factIn<MessageFact, WrongPeer>(verdict.reasons) ||
      factIn<MessageFact, MessagesDiffer>(verdict.summary)) {
    return ActionRule::kMessagesDiffer;
  }
  const auto* absence = factIn<StuckGroupFact, NotJoined>(verdict.summary);
  const bool has_left =
      verdict.kind == VerdictKind::kLeftEarly ||
      (absence && absence->how == NotJoined::How::kLeftBefore);
  // An end is also a step that the other ranks did not make.
  if (has_left && verdict.culprits == verdict.ranks) {
    return ruleOfEnds(job, verdict.ranks);
  }
  if (leftCallOrder(verdict)) return ActionRule::kCallOrder;
  if (has_left) return ruleOfEnds(job, verdict.ranks);
  return verdict.kind == VerdictKind::kP2pUnpaired &&
                 anyEndedInOrder(job, verdict.culprits)
             ? ActionRule::kEndedInOrder
             : ActionRule::kAbsentRank;
}

ActionRule ruleOfFailure(const JobState& job, const JobVerdict& verdict) {
  const bool threw = std::any_of(
      verdict.culprits.begin(), verdict.culprits.end(),
      [&](std::uint32_t rank) {
        const RankState* state = job.rank(rank);
        return state && state->first_failure && state->first_failure->threw;
      });
  return threw ? ActionRule::kCallThrew : ActionRule::kOperationFailed;
}

ActionRule ruleOf(const JobState& job, const JobVerdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::kSharedGroupName:
    case VerdictKind::kEndedUnjoined:
      return ActionRule::kGroupsDiffer;
    case VerdictKind::kDeadlock:
      return ActionRule::kCallCycle;
    case VerdictKind::kOrderMismatch:
    case VerdictKind::kOpMismatch:
      return ActionRule::kCallsDiffer;
    case VerdictKind::kSizeMismatch:
    case VerdictKind::kDtypeMismatch:
    case VerdictKind::kReduceOpMismatch:
    case VerdictKind::kRootMismatch:
    case VerdictKind::kSplitMismatch:
      return ActionRule::kArgumentsDiffer;
    case VerdictKind::kLeftEarly:
    case VerdictKind::kNeverJoined:
    case VerdictKind::kP2pUnpaired:
      return ruleOfAbsence(job, verdict);
    case VerdictKind::kHungIn:
      return ActionRule::kHungTogether;
    case VerdictKind::kFailed:
      return ruleOfFailure(job, verdict);
    case VerdictKind::kProcessFailed:
      return factIn<EndingFact, JobKilled>(verdict.summary)
                 ? ActionRule::kEndedFromOutside
                 : ruleOfEnds(job, concernedRanks(verdict));
    case VerdictKind::kAborted:
      return ActionRule::kProgramAborted;
    case VerdictKind::kNeverWaited:
      return ActionRule::kNeverWaited;
    case VerdictKind::kBufferOverlap:
    case VerdictKind::kBufferChanged:
      return ActionRule::kBufferInUse;
    case VerdictKind::kUnsynchronisedGradients:
      return ActionRule::kGradientsApart;
    case VerdictKind::kCorruptedTransfer:
      return ActionRule::kDataChanged;
    case VerdictKind::kNanOrigin:
      return ActionRule::kNanComputed;
    case VerdictKind::kOverflowRisk:
      return ActionRule::kRangeTooSmall;
    case VerdictKind::kReplicasDiverged:
      return ActionRule::kCopiesDiffer;
    case VerdictKind::kSlowPeer:
      return ActionRule::kSlowLink;
    case VerdictKind::kStraggler:
      return ActionRule::kSlowRank;
    case VerdictKind::kLate:
      return ActionRule::kLateOnce;
    case VerdictKind::kUndecided:
      return ActionRule::kUndecided;
  }
  return ActionRule::kUndecided;
}

// Returns the verdict's ranks that report a hardware error. Empty unless the
// verdict is about ranks that stopped.
Ranks withHardwareError(const JobState& job, const JobVerdict& verdict) {
  Ranks found;
  if (!traitsOf(verdict.kind).is_stuck &&
      verdict.kind != VerdictKind::kProcessFailed) {
    return found;
  }
  for (const std::uint32_t rank : concernedRanks(verdict)) {
    const RankState* state = job.rank(rank);
    if (state && reportsHardware(*state)) found.push_back(rank);
  }
  return found;
}

void addProcesses(const JobState& job, RecommendedAction& action) {
  std::set<std::string> hosts;
  for (const std::uint32_t rank : action.ranks) {
    const RankState* state = job.rank(rank);
    if (!state) continue;
    if (!state->host.empty()) hosts.insert(state->host);
    if (state->running && state->pid > 0) action.pids.push_back(state->pid);
  }
  action.hosts.assign(hosts.begin(), hosts.end());
}

}  // namespace

RecommendedAction actionFor(const JobState& job, const JobVerdict& verdict) {
  const Ranks faulty = withHardwareError(job, verdict);
  RecommendedAction action;
  action.rule =
      faulty.empty() ? ruleOf(job, verdict) : ActionRule::kHardwareError;
  action.confidence =
      std::max(verdict.finding, traitsOf(action.rule).strongest);
  if (action.action() == Action::kNone) return action;
  action.ranks = faulty.empty() ? concernedRanks(verdict) : faulty;
  addProcesses(job, action);
  return action;
}

RecommendedAction actionFor(const JobState& job,
                            absl::Span<const JobVerdict> verdicts,
                            bool healthy) {
  if (verdicts.empty()) {
    const ActionRule rule =
        healthy ? ActionRule::kHealthy : ActionRule::kEndUnknown;
    return {rule, traitsOf(rule).strongest, {}, {}, {}};
  }
  for (const JobVerdict& verdict : verdicts) {
    RecommendedAction action = actionFor(job, verdict);
    if (action.action() != Action::kNone) return action;
  }
  return actionFor(job, verdicts.front());
}

}  // namespace traced
