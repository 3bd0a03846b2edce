#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/diagnosis/slow_peers/slow_links.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;
using Kind = ComparedLinks::Kind;

// Maximum number of links described in one verdict.
constexpr std::size_t kMaxReported = 4;

bool includes(const Ranks& all, const Ranks& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

void reportLinks(const ComparedLinks& compared, const LinkedRanks& together,
                 JobVerdict& verdict) {
  for (std::size_t i = 0; i < together.links.size() && i < kMaxReported; ++i) {
    const SlowLink& link = *together.links[i];
    verdict.reasons.push_back(SlowTransfers{
        compared.what, compared.kind, compared.links[link.link].ranks,
        link.median_ns, link.count, link.others_ns, compared.between_hosts});
    verdict.reasons.push_back(ShareOfTime{link.of_the_time});
  }
}

// Returns whether a rank has a link beyond the culprits that is not slow.
bool isQuickElsewhere(const ComparedLinks& compared,
                      const std::vector<SlowLink>& slow, const Ranks& culprits,
                      std::uint32_t rank) {
  for (std::size_t i = 0; i < compared.links.size(); ++i) {
    Ranks ranks = compared.links[i].ranks;
    std::sort(ranks.begin(), ranks.end());
    const bool is_slow =
        std::any_of(slow.begin(), slow.end(),
                    [&](const SlowLink& link) { return link.link == i; });
    if (!is_slow && includes(ranks, {rank}) && !includes(culprits, ranks)) {
      return true;
    }
  }
  return false;
}

// Adds which of several culprits is slow, or why that is unknown.
void reportWhich(const ComparedLinks& compared,
                 const std::vector<SlowLink>& slow, JobVerdict& verdict) {
  const Ranks& ranks = verdict.culprits;
  if (ranks.size() == 1) return;
  if (compared.kind == Kind::kRanks) {
    verdict.reasons.push_back(PlainFact::kMayWaitForSlowPart);
    return;
  }
  const bool quick_elsewhere =
      std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
        return isQuickElsewhere(compared, slow, ranks, rank);
      });
  verdict.reasons.push_back(quick_elsewhere ? PlainFact::kQuickWithOthers
                                            : PlainFact::kWhichIsUnknown);
}

JobVerdict verdictOn(const ComparedLinks& compared,
                     const std::vector<SlowLink>& slow,
                     const LinkedRanks& together) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kSlowPeer;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = together.ranks;
  const TransferLink& first = compared.links[together.links.front()->link];
  verdict.group = first.group;
  if (compared.kind != Kind::kPairs) {
    verdict.op = compared.op;
  } else if (together.links.size() == 1) {
    verdict.pair = {first.ranks[0], first.ranks[1]};
  }
  verdict.since_ns = together.links.front()->since_ns;
  verdict.summary = {TransfersAreSlow{together.ranks}};
  reportLinks(compared, together, verdict);
  reportWhich(compared, slow, verdict);
  if (!compared.absent.empty()) {
    verdict.reasons.push_back(NoTrace{compared.absent});
  }
  verdict.advice.push_back(AskNetwork{verdict.culprits});
  return verdict;
}

// Drops a verdict whose culprits include all those of another one: a slow rank
// also slows the pairs and groups it belongs to. The other verdict receives its
// first reason.
void keepNarrowest(std::vector<JobVerdict>& verdicts) {
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const JobVerdict& a, const JobVerdict& b) {
                     return a.culprits.size() < b.culprits.size();
                   });
  std::vector<JobVerdict> kept;
  for (JobVerdict& verdict : verdicts) {
    const auto narrower =
        std::find_if(kept.begin(), kept.end(), [&](const JobVerdict& other) {
          return includes(verdict.culprits, other.culprits);
        });
    if (narrower == kept.end()) {
      kept.push_back(std::move(verdict));
    } else if (narrower->reasons.size() < 2 * kMaxReported) {
      narrower->reasons.push_back(std::move(verdict.reasons.front()));
    }
  }
  verdicts = std::move(kept);
}

}  // namespace

std::vector<JobVerdict> findSlowPeers(const JobState& job) {
  std::vector<JobVerdict> verdicts;
  for (const ComparedLinks& compared : comparedLinks(job)) {
    const std::vector<SlowLink> slow = findSlowLinks(compared, job.stride);
    if (slow.empty()) continue;
    for (const LinkedRanks& together : putTogether(compared, slow)) {
      verdicts.push_back(verdictOn(compared, slow, together));
    }
  }
  keepNarrowest(verdicts);
  return verdicts;
}

}  // namespace traced
