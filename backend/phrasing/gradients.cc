#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/job/signature.h"
#include "phrasing/phrase.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

std::string siteClause(const std::string& site) {
  return site.empty() ? "" : absl::StrCat(" at ", printable(site));
}

// Returns "32 KiB in 2 calls".
std::string amountText(std::uint64_t bytes, std::uint64_t calls) {
  return absl::StrCat(sizeText(bytes), " in ", countOf(calls, "call"));
}

// Returns "\"dp\" (1 member)".
std::string sizedGroupText(const JobState& job, std::uint32_t group) {
  return absl::StrCat(
      groupText(job, group), " (",
      countOf(job.catalog.groups()[group].members.size(), "member"), ")");
}

// Returns "ranks 0-1 and ranks 2-3"; names the first few sets.
std::string setsText(const std::vector<Ranks>& sets) {
  constexpr std::size_t kMaxSets = 4;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sets.size() && i < kMaxSets; ++i) {
    texts.push_back(ranksText(sets[i]));
  }
  if (sets.size() > kMaxSets) {
    texts.push_back(absl::StrCat(sets.size() - kMaxSets, " more sets"));
  }
  const std::string last = texts.back();
  texts.pop_back();
  return absl::StrCat(absl::StrJoin(texts, ", "), " and ", last);
}

struct GradientPhrases {
  const JobState& job;

  std::string operator()(const GradientIslands& fact) const {
    if (fact.islands.front().size() == 1) {
      Ranks ranks;
      for (const Ranks& island : fact.islands) ranks.push_back(island.front());
      return absl::StrCat(
          capitalRanks(ranks),
          " never exchange gradients: each reduces its own alone.");
    }
    std::string sets = setsText(fact.islands);
    sets.front() = 'R';
    return absl::StrCat(sets,
                        " never exchange gradients: each set reduces them "
                        "only among itself.");
  }
  std::string operator()(const GradientsReduced& fact) const {
    return absl::StrCat("Rank ", fact.rank, " reduces ",
                        amountText(fact.bytes, fact.calls), " in each of ",
                        fact.cycles, " cycles, first by ", fact.call, " on ",
                        sizedGroupText(job, fact.group), siteClause(fact.site),
                        ". The others reduce the same. No other data crosses "
                        "between them.");
  }
  std::string operator()(const MetricShared& fact) const {
    return absl::StrCat("They seem to train one model: each cycle ends with ",
                        fact.call, " on ", sizedGroupText(job, fact.group),
                        siteClause(fact.site), ".");
  }
  std::string operator()(const JoiningGroupUnused& fact) const {
    return absl::StrCat(sizedGroupText(job, fact.group),
                        " connects them, and carried no gradients.");
  }
  std::string operator()(const OnlyGathered& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks), " gather parameters on ",
                        groupText(job, fact.group),
                        " in backward, and never reduce gradients.");
  }
  std::string operator()(const GatheredInBackward& fact) const {
    return absl::StrCat("Rank ", fact.rank, " gathers ",
                        amountText(fact.bytes, fact.calls),
                        " in the backward of each of ", fact.steps,
                        " steps, first by ", fact.call, siteClause(fact.site),
                        ". No reduction connects these ranks.");
  }
};

}  // namespace

std::string phrase(const JobState& job, const GradientFact& fact) {
  return std::visit(GradientPhrases{job}, fact);
}

}  // namespace traced
