#include "analysis/diagnosis/messages/pair_trouble.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/messages/message_pair.h"
#include "analysis/diagnosis/messages/pending_messages.h"

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

}  // namespace traced
