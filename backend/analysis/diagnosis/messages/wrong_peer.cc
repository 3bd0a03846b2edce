#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/messages/message_pair.h"

namespace traced {
namespace {

// Source and destination.
using PairRanks = std::pair<std::uint32_t, std::uint32_t>;

bool isUnpaired(const Trouble& trouble) {
  return trouble.verdict.kind == VerdictKind::kP2pUnpaired &&
         !trouble.explained;
}

bool holds(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Troubles by a rank, each in the order of all.
using ByRank = absl::flat_hash_map<std::uint32_t, std::vector<Trouble*>>;

// By who is inside of them.
ByRank byInside(std::vector<Trouble>& troubles) {
  ByRank inside;
  for (Trouble& trouble : troubles) {
    for (const std::uint32_t rank : trouble.inside) {
      inside[rank].push_back(&trouble);
    }
  }
  return inside;
}

// Receives to which nothing was sent, by whom they wait for.
ByRank bySource(std::vector<Trouble>& troubles) {
  ByRank awaited;
  for (Trouble& trouble : troubles) {
    if (isUnpaired(trouble) && trouble.verdict.op == "recv") {
      awaited[trouble.verdict.pair->first].push_back(&trouble);
    }
  }
  return awaited;
}

bool waitsFor(const ByRank& inside, std::uint32_t rank, std::uint32_t peer) {
  const auto found = inside.find(rank);
  return found != inside.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [=](const Trouble* t) { return holds(t->missing, peer); });
}

// A send to a rank that was killed and to which nothing was sent before: the
// death need not be the cause.
bool isFirstToTheDead(const Trouble& sent) {
  return sent.verdict.kind == VerdictKind::kNeverJoined && !sent.explained &&
         sent.verdict.seq == 1;
}

void blameSender(JobVerdict& verdict, const PairRanks& sent,
                 const PairRanks& awaited) {
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.culprits = {sent.first};
  verdict.culprit = Confidence::kLikely;
  std::erase_if(verdict.evidence, isTwoCannotOutvote);
  verdict.evidence.push_back(
      WrongPeer{sent.first, sent.second, awaited.second});
}

}  // namespace

void blameWrongPeers(std::vector<Trouble>& troubles) {
  const ByRank inside = byInside(troubles);
  const ByRank by_source = bySource(troubles);
  for (Trouble& sent : troubles) {
    const bool to_the_dead = isFirstToTheDead(sent);
    if (!isUnpaired(sent) && !to_the_dead) continue;
    if (sent.verdict.op != "send") continue;
    const PairRanks pair = *sent.verdict.pair;
    const auto found = by_source.find(pair.first);
    if (found == by_source.end()) continue;
    if (waitsFor(inside, pair.second, pair.first)) continue;
    for (Trouble* awaited : found->second) {
      const bool same = awaited->verdict.group == sent.verdict.group;
      if (!same || (to_the_dead && awaited->verdict.seq == 1)) continue;
      blameSender(sent.verdict, pair, *awaited->verdict.pair);
      blameSender(awaited->verdict, pair, *awaited->verdict.pair);
      if (to_the_dead) {
        sent.verdict.finding = Confidence::kLikely;
        sent.verdict.evidence.push_back(SentOnlyToOther{pair.second});
      }
    }
  }
}

}  // namespace traced
