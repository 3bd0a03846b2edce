#include "analysis/diagnosis/messages/message_troubles.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/evidence/pair_table.h"
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

void PairCase::tellFailure(std::uint32_t rank, JobVerdict& verdict) const {
  const auto& failure = job().rank(rank)->first_failure;
  if (failure && failure->pair == verdict.pair && !failure->error.empty()) {
    verdict.evidence.push_back(FailedWith{{rank}, failure->error});
  }
}

PairFindings findPairTroubles(const Knowledge& knowledge) {
  PairFindings findings;
  // A group may have as many pairs as members: who is absent is found out once.
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> absent;
  for (const auto& [key, messages] : knowledge.job().pairs) {
    if (!hasNumbers(knowledge.job(), key.source, key.destination)) continue;
    const auto [of_group, is_new] = absent.try_emplace(key.group);
    if (is_new) {
      of_group->second = knowledge.job().membersOf(key.group).absent;
    }
    const PairCase pair{knowledge, key, *messages, of_group->second};
    if (!findDifference(pair, findings)) findLeftOver(pair, findings);
  }
  // Where hosts run ahead, a message that nobody receives is only early.
  if (knowledge.tellsAges()) blameWrongPeers(findings.troubles);
  return findings;
}

namespace {

// Which of both sides have a message under way, and since when.
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

void tellBothInside(const PairKey& key, JobVerdict& verdict) {
  verdict.kind = VerdictKind::kHungIn;
  verdict.finding = Confidence::kLikely;
  verdict.culprits = verdict.ranks;
  verdict.summary = {BothInMessage{messageOf(key)}};
  verdict.advice.push_back(PlainFact::kAskNetworkOfTwo);
}

void tellAlone(const Knowledge& knowledge, const PairKey& key, bool sends,
               Trouble& trouble) {
  const std::uint32_t peer = sends ? key.destination : key.source;
  JobVerdict& verdict = trouble.verdict;
  const bool has_dump = knowledge.job().rank(peer) != nullptr;
  verdict.summary = {OneInMessage{messageOf(key), sends, has_dump}};
  verdict.evidence.push_back(knowledge.insteadOf(peer));
  if (!has_dump) {
    verdict.ranks = {peer};
    if (knowledge.expectsDumps(key.group)) {
      trouble.without_dump = verdict.culprits = {peer};
      verdict.kind = VerdictKind::kNeverJoined;
      verdict.finding = verdict.culprit = Confidence::kLikely;
    }
    verdict.advice.push_back(AskDump{peer});
    return;
  }
  trouble.missing = {peer};
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.culprits = {peer};
  verdict.advice.push_back(AskWhere{{peer}});
}

Trouble troubleOf(const Knowledge& knowledge, const PairKey& key,
                  const Sides& sides) {
  Trouble trouble;
  JobVerdict& verdict = trouble.verdict;
  verdict.group = key.group;
  verdict.pair = {key.source, key.destination};
  verdict.ranks = {std::min(key.source, key.destination),
                   std::max(key.source, key.destination)};
  verdict.op = sides.source_ns ? "send" : "recv";
  for (const auto& [rank, at_ns] :
       {std::pair(key.source, sides.source_ns),
        std::pair(key.destination, sides.destination_ns)}) {
    if (!at_ns) continue;
    trouble.inside.push_back(rank);
    trouble.issued_ns[rank] = *at_ns;
    verdict.since_ns = std::max(verdict.since_ns.value_or(*at_ns), *at_ns);
  }
  addRanks(trouble.inside, {});
  // That the other side has ended its part is not excluded.
  trouble.may_be_held_up =
      !knowledge.job().catalog.groups()[key.group].engine().on_host;
  if (sides.source_ns && sides.destination_ns) {
    tellBothInside(key, verdict);
  } else {
    tellAlone(knowledge, key, sides.source_ns.has_value(), trouble);
  }
  return trouble;
}

}  // namespace

bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination) {
  const RankState* sender = job.rank(source);
  const RankState* receiver = job.rank(destination);
  return (!sender || !sender->forgets) && (!receiver || !receiver->forgets);
}

std::vector<Trouble> findPendingMessages(const Knowledge& knowledge) {
  std::vector<Trouble> troubles;
  if (knowledge.tellsAges()) return troubles;
  for (const auto& [key, sides] : pendingOf(knowledge.job())) {
    const bool both = sides.source_ns && sides.destination_ns;
    if (!both && hasNumbers(knowledge.job(), key.source, key.destination)) {
      continue;  // its number tells
    }
    troubles.push_back(troubleOf(knowledge, key, sides));
  }
  return troubles;
}

}  // namespace traced
