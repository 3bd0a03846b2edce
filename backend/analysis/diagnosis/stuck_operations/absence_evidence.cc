#include "analysis/diagnosis/stuck_operations/absence_evidence.h"

#include <algorithm>

#include "analysis/diagnosis/verdicts/call_sites.h"

namespace traced {
namespace {

// Nothing shorter counts as stuck, whatever the options are.
constexpr std::int64_t kMinNs = 1'000'000'000;

// Returns whether the rank may still be in its last issued collective, whose
// end could not have been observed.
bool lastIsUnseen(const RankState& rank) {
  const std::vector<OperationRef>& unseen = rank.last_unseen;
  return std::any_of(unseen.begin(), unseen.end(), [&](const auto& ref) {
    return ref.group == rank.last_issued->group && !rank.last_issued->pair &&
           ref.seq == rank.last_issued->seq;
  });
}

}  // namespace

AbsenceEvidence::AbsenceEvidence(const JobState& job,
                                 const DiagnosisOptions& options)
    : job_(job), options_(options) {
  for (const RankState& rank : job.ranks) {
    if (rank.clock >= last_ns_.size()) {
      last_ns_.resize(rank.clock + 1, rank.last_ns);
    }
    last_ns_[rank.clock] = std::max(last_ns_[rank.clock], rank.last_ns);
  }
}

const OperationRef* AbsenceEvidence::refOn(std::uint32_t rank,
                                           std::uint32_t group,
                                           std::uint64_t seq,
                                           const RankPair& pair) const {
  const RankState* state = job_.rank(rank);
  if (!state) return nullptr;
  const auto is_it = [&](const OperationRef& ref) {
    return ref.group == group && ref.seq == seq && ref.pair == pair;
  };
  for (const OperationRef& ref : state->inside) {
    if (is_it(ref)) return &ref;
  }
  for (const auto* ref :
       {&state->first_failure, &state->last_issued, &state->last_finished}) {
    if (*ref && is_it(**ref)) return &**ref;
  }
  return nullptr;
}

const OperationRef* AbsenceEvidence::refAtOrAfter(std::uint32_t rank,
                                                  std::uint32_t group,
                                                  std::uint64_t seq) const {
  if (const OperationRef* ref = refOn(rank, group, seq, std::nullopt)) {
    return ref;
  }
  const RankState* state = job_.rank(rank);
  if (!state) return nullptr;
  for (const OperationRef& ref : state->last_unseen) {
    if (ref.group == group && !ref.pair && ref.seq >= seq) return &ref;
  }
  return nullptr;
}

std::int64_t AbsenceEvidence::waitedNs(std::uint32_t rank,
                                       const OperationRef& ref) const {
  const RankState* state = job_.rank(rank);
  if (!state) return 0;
  // A dead process stopped waiting when it died. If the end is unknown, it is
  // assumed to have waited as long as the others on its clock lived.
  const std::int64_t until_ns =
      state->endKnown() ? state->last_ns : last_ns_[state->clock];
  // It stopped waiting when the operation was cut off.
  return std::min(until_ns, ref.until_ns.value_or(until_ns)) - ref.at_ns;
}

bool AbsenceEvidence::expectsDumps(std::uint32_t group) const {
  if (knowsAges()) return false;
  const std::uint64_t world = job_.summary.worldSize();
  return world > 0 ? 4 * job_.ranks.size() >= 3 * world
                   : job_.mostArePresent(group);
}

Confidence AbsenceEvidence::absenceOf(const RankState& rank,
                                      const RankState& witness,
                                      std::int64_t since_ns) const {
  if (!rank.whole()) return Confidence::kUndecided;
  if (rank.endKnown()) return Confidence::kCertain;
  const bool comparable = rank.clock == witness.clock;
  return comparable && isKnownAfter(rank, since_ns) ? Confidence::kCertain
                                                    : Confidence::kLikely;
}

bool AbsenceEvidence::isKnownAfter(const RankState& rank,
                                   std::int64_t since_ns) const {
  return rank.last_ns - since_ns >= std::max(kMinNs, options_.hung_after_ns);
}

std::vector<std::uint32_t> AbsenceEvidence::blockedIn(
    const std::vector<std::uint32_t>& ranks, std::uint32_t group,
    std::uint64_t seq, const RankPair& pair) const {
  std::vector<std::uint32_t> blocked;
  for (const std::uint32_t rank : ranks) {
    const OperationRef* ref = refOn(rank, group, seq, pair);
    if (ref && ref->blocks) blocked.push_back(rank);
  }
  return blocked;
}

std::vector<std::uint32_t> AbsenceEvidence::perhapsIn(
    const std::vector<std::uint32_t>& ranks, std::uint32_t group,
    std::uint64_t seq, const RankPair& pair) const {
  std::vector<std::uint32_t> perhaps;
  for (const std::uint32_t rank : ranks) {
    const OperationRef* ref = refOn(rank, group, seq, pair);
    if (ref && ref->perhaps) perhaps.push_back(rank);
  }
  return perhaps;
}

Fact AbsenceEvidence::insteadOf(std::uint32_t rank) const {
  using Doing = DoesInstead::Doing;
  using Process = DoesInstead::Process;
  const RankState* state = job_.rank(rank);
  if (!state) return NoTrace{{rank}};
  DoesInstead does;
  does.rank = rank;
  does.some_left_out = state->left_out > 0;
  if (!state->inside.empty()) {
    const OperationRef& inside =
        knowsAges() ? state->inside.back() : state->inside.front();
    does.doing = Doing::kInside;
    does.call = callOn(inside);
    does.cut_off = inside.until_ns.has_value();
    does.perhaps = inside.perhaps;
    does.waited_ns = waitedNs(rank, inside);
  } else if (state->first_failure) {
    does.doing = Doing::kHadFailed;
    does.call = callOn(*state->first_failure);
  } else if (state->last_issued) {
    does.doing = Doing::kInNone;
    does.call = callOn(*state->last_issued);
    does.last_is_unseen = lastIsUnseen(*state);
  } else if (state->forgets) {
    does.doing = Doing::kNothingUnderWay;
  }
  does.process = !knowsAges()                           ? Process::kDumped
                 : state->running                       ? Process::kLives
                 : state->end.kind == EndKind::kUnknown ? Process::kUnknown
                                                        : Process::kEnded;
  return does;
}

}  // namespace traced
