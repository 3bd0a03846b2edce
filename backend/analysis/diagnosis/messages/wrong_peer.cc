#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/messages/message_pair.h"

namespace traced {
namespace {

// Source and destination.
using PairRanks = std::pair<std::uint32_t, std::uint32_t>;

bool isUnpaired(const StuckOperation& stuck) {
  return stuck.verdict.kind == VerdictKind::kP2pUnpaired && !stuck.explained;
}

bool holds(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Stuck operations by rank, in their original order.
using ByRank = absl::flat_hash_map<std::uint32_t, std::vector<StuckOperation*>>;

// Groups the stuck operations by the ranks inside them.
ByRank byInside(std::vector<StuckOperation>& all_stuck) {
  ByRank inside;
  for (StuckOperation& stuck : all_stuck) {
    for (const std::uint32_t rank : stuck.inside) {
      inside[rank].push_back(&stuck);
    }
  }
  return inside;
}

// Groups unmatched receives by the rank they wait for.
ByRank bySource(std::vector<StuckOperation>& all_stuck) {
  ByRank awaited;
  for (StuckOperation& stuck : all_stuck) {
    if (isUnpaired(stuck) && stuck.verdict.op == "recv") {
      awaited[stuck.verdict.pair->first].push_back(&stuck);
    }
  }
  return awaited;
}

bool waitsFor(const ByRank& inside, std::uint32_t rank, std::uint32_t peer) {
  const auto found = inside.find(rank);
  return found != inside.end() &&
         std::any_of(
             found->second.begin(), found->second.end(),
             [=](const StuckOperation* t) { return holds(t->missing, peer); });
}

// Returns whether this is the first send to a rank that was killed. The kill
// need not be the cause.
bool isFirstToTheDead(const StuckOperation& sent) {
  return sent.verdict.kind == VerdictKind::kNeverJoined && !sent.explained &&
         sent.verdict.seq == 1;
}

void blameSender(JobVerdict& verdict, const PairRanks& sent,
                 const PairRanks& awaited) {
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.culprits = {sent.first};
  verdict.culprit = Confidence::kLikely;
  std::erase_if(verdict.reasons, isTwoCannotOutvote);
  verdict.reasons.push_back(WrongPeer{sent.first, sent.second, awaited.second});
}

}  // namespace

void blameWrongPeers(std::vector<StuckOperation>& all_stuck) {
  const ByRank inside = byInside(all_stuck);
  const ByRank by_source = bySource(all_stuck);
  for (StuckOperation& sent : all_stuck) {
    const bool to_the_dead = isFirstToTheDead(sent);
    if (!isUnpaired(sent) && !to_the_dead) continue;
    if (sent.verdict.op != "send") continue;
    const PairRanks pair = *sent.verdict.pair;
    const auto found = by_source.find(pair.first);
    if (found == by_source.end()) continue;
    if (waitsFor(inside, pair.second, pair.first)) continue;
    for (StuckOperation* awaited : found->second) {
      const bool same = awaited->verdict.group == sent.verdict.group;
      if (!same || (to_the_dead && awaited->verdict.seq == 1)) continue;
      blameSender(sent.verdict, pair, *awaited->verdict.pair);
      blameSender(awaited->verdict, pair, *awaited->verdict.pair);
      if (to_the_dead) {
        sent.verdict.finding = Confidence::kLikely;
        sent.verdict.reasons.push_back(SentOnlyToOther{pair.second});
      }
    }
  }
}

}  // namespace traced
