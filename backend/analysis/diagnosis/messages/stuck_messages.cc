#include "analysis/diagnosis/messages/stuck_messages.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state/pair_table.h"
#include "analysis/diagnosis/messages/message_pair.h"

namespace traced {

JobVerdict PairCase::verdict(std::uint64_t seq, const char* op) const {
  JobVerdict verdict;
  verdict.group = key.group;
  verdict.pair = {key.source, key.destination};
  verdict.seq = seq;
  verdict.op = op;
  verdict.ranks = {std::min(key.source, key.destination),
                   std::max(key.source, key.destination)};
  verdict.culprits = verdict.ranks;
  return verdict;
}

bool PairCase::bothClosed() const {
  const auto isClosed = [this](std::uint32_t rank) {
    const RankState* state = job().rank(rank);
    return state && state->whole() && state->closed;
  };
  return isClosed(key.source) && isClosed(key.destination);
}

void PairCase::reportFailure(std::uint32_t rank, JobVerdict& verdict) const {
  const auto& failure = job().rank(rank)->first_failure;
  if (failure && failure->pair == verdict.pair && !failure->error.empty()) {
    verdict.reasons.push_back(FailedWith{{rank}, failure->error});
  }
}

void blameWithoutDump(std::uint32_t peer, StuckOperation& stuck) {
  JobVerdict& verdict = stuck.verdict;
  verdict.kind = VerdictKind::kNeverJoined;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = stuck.without_dump = {peer};
}

PairFindings findStuckMessages(const AbsenceEvidence& absence) {
  PairFindings findings;
  // Caches the absent members per group, because a group may have many pairs.
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> absent;
  for (const auto& [key, messages] : absence.job().pairs) {
    if (!hasNumbers(absence.job(), key.source, key.destination)) continue;
    const auto [of_group, is_new] = absent.try_emplace(key.group);
    if (is_new) {
      of_group->second = absence.job().membersOf(key.group).absent;
    }
    const PairCase pair{absence, key, *messages, of_group->second};
    if (!findDifference(pair, findings)) findLeftOver(pair, findings);
  }
  // If ages are unknown (dumps), an unreceived message may only be early.
  if (absence.knowsAges()) blameWrongPeers(findings.all_stuck);
  return findings;
}

namespace {

// When each side issued its pending message. Absent for a side without one.
struct Sides {
  std::optional<std::int64_t> source_ns, destination_ns;
};

using Pending = absl::btree_map<PairKey, Sides>;

Pending pendingOf(const JobState& job) {
  Pending pending;
  for (const RankState& rank : job.ranks) {
    for (const OperationRef& ref : rank.inside) {
      if (!ref.pair) continue;
      const auto& [source, destination] = *ref.pair;
      Sides& sides = pending[{ref.group, source, destination}];
      auto& own = rank.rank == source ? sides.source_ns : sides.destination_ns;
      if (!own || ref.at_ns < *own) own = ref.at_ns;
    }
  }
  return pending;
}

MessageAt messageOf(const PairKey& key) {
  return {key.group, key.source, key.destination, 0};
}

void reportBothInside(const PairKey& key, JobVerdict& verdict) {
  verdict.kind = VerdictKind::kHungIn;
  verdict.finding = Confidence::kLikely;
  verdict.culprits = verdict.ranks;
  verdict.summary = {BothInMessage{messageOf(key)}};
  verdict.advice.push_back(PlainFact::kAskNetworkOfTwo);
}

void reportAlone(const AbsenceEvidence& absence, const PairKey& key, bool sends,
                 StuckOperation& stuck) {
  const std::uint32_t peer = sends ? key.destination : key.source;
  JobVerdict& verdict = stuck.verdict;
  const bool has_dump = absence.job().rank(peer) != nullptr;
  verdict.summary = {OneInMessage{messageOf(key), sends, has_dump}};
  verdict.reasons.push_back(absence.insteadOf(peer));
  if (!has_dump) {
    verdict.ranks = {peer};
    if (absence.expectsDumps(key.group)) blameWithoutDump(peer, stuck);
    verdict.advice.push_back(AskDump{peer});
    return;
  }
  stuck.missing = {peer};
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.culprits = {peer};
  verdict.advice.push_back(AskWhere{{peer}});
}

StuckOperation stuckMessage(const AbsenceEvidence& absence, const PairKey& key,
                            const Sides& sides) {
  StuckOperation stuck;
  JobVerdict& verdict = stuck.verdict;
  verdict.group = key.group;
  verdict.pair = {key.source, key.destination};
  verdict.ranks = {std::min(key.source, key.destination),
                   std::max(key.source, key.destination)};
  verdict.op = sides.source_ns ? "send" : "recv";
  for (const auto& [rank, at_ns] :
       {std::pair(key.source, sides.source_ns),
        std::pair(key.destination, sides.destination_ns)}) {
    if (!at_ns) continue;
    stuck.inside.push_back(rank);
    stuck.issued_ns[rank] = *at_ns;
    verdict.since_ns = std::max(verdict.since_ns.value_or(*at_ns), *at_ns);
  }
  addRanks(stuck.inside, {});
  // The other side may already have ended its part.
  stuck.may_be_held_up =
      !absence.job().catalog.groups()[key.group].engine().on_host;
  if (sides.source_ns && sides.destination_ns) {
    reportBothInside(key, verdict);
  } else {
    reportAlone(absence, key, sides.source_ns.has_value(), stuck);
  }
  return stuck;
}

}  // namespace

bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination) {
  const RankState* sender = job.rank(source);
  const RankState* receiver = job.rank(destination);
  return (!sender || !sender->forgets) && (!receiver || !receiver->forgets);
}

std::vector<StuckOperation> findPendingMessages(
    const AbsenceEvidence& absence) {
  std::vector<StuckOperation> all_stuck;
  if (absence.knowsAges()) return all_stuck;
  for (const auto& [key, sides] : pendingOf(absence.job())) {
    const bool both = sides.source_ns && sides.destination_ns;
    if (!both && hasNumbers(absence.job(), key.source, key.destination)) {
      continue;  // pairs by number
    }
    all_stuck.push_back(stuckMessage(absence, key, sides));
  }
  return all_stuck;
}

}  // namespace traced
