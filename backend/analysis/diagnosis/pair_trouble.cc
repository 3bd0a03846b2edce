#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/message_pair.h"

namespace traced {

std::string PairCase::text(std::uint64_t seq) const {
  return absl::StrCat("#", seq, " from rank ", key.source, " to rank ",
                      key.destination, " on \"", job().catalog.label(key.group),
                      "\"");
}

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

void PairCase::tellFailure(std::uint32_t rank, JobVerdict& verdict) const {
  const auto& failure = job().rank(rank)->first_failure;
  if (failure && failure->pair == verdict.pair && !failure->error.empty()) {
    verdict.evidence.push_back(
        absl::StrCat("It failed on rank ", rank, ": ", failure->error));
  }
}

PairFindings findPairTroubles(const Knowledge& knowledge) {
  PairFindings findings;
  for (const auto& [key, messages] : knowledge.job().pairs) {
    const PairCase pair{knowledge, key, *messages};
    if (!findDifference(pair, findings)) findLeftOver(pair, findings);
  }
  blameWrongPeers(findings.troubles);
  return findings;
}

}  // namespace traced
