#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/trouble/trouble.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

constexpr std::size_t kMaxGroups = 4;
constexpr std::size_t kMaxNames = 3;

std::string groupText(const JobState& job, std::uint32_t group) {
  return absl::StrCat("\"", job.catalog.label(group), "\" (",
                      ranksText(job.membersOf(group).present), ")");
}

// "the name "1" to "ep" (ranks 0-1) and "ep#2" (ranks 2-3)".
std::string sharedText(const JobState& job,
                       const std::vector<std::uint32_t>& groups) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < groups.size() && i < kMaxGroups; ++i) {
    texts.push_back(groupText(job, groups[i]));
  }
  if (groups.size() > kMaxGroups) {
    texts.push_back(absl::StrCat(groups.size() - kMaxGroups, " more"));
  }
  const std::string last = texts.back();
  texts.pop_back();
  return absl::StrCat("the name \"", job.catalog.groups()[groups.front()].name,
                      "\" to ", absl::StrJoin(texts, ", "), " and ", last);
}

// Gloo's ranks find each other in the store, by the name of the group. NCCL may
// split the communicator of the world instead, which needs no name.
bool meetByName(const JobState& job, const std::vector<std::uint32_t>& groups) {
  return std::all_of(groups.begin(), groups.end(), [&](std::uint32_t group) {
    return job.catalog.groups()[group].engine().on_host;
  });
}

}  // namespace

std::vector<JobVerdict> findSharedNames(const JobState& job) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kSharedGroupName;
  verdict.finding = Confidence::kCertain;
  std::size_t names = 0;
  for (const std::vector<std::uint32_t>& groups :
       job.names.shared(job.catalog)) {
    if (!meetByName(job, groups)) continue;
    for (const std::uint32_t group : groups) {
      addRanks(verdict.ranks, job.membersOf(group).present);
    }
    if (++names == 1) {
      verdict.group = groups.front();
      verdict.summary =
          absl::StrCat("c10d gave ", sharedText(job, groups), ".");
    } else if (names <= kMaxNames) {
      verdict.evidence.push_back(
          absl::StrCat("It also gave ", sharedText(job, groups), "."));
    }
  }
  if (names == 0) return {};
  if (names > kMaxNames) {
    verdict.evidence.push_back(absl::StrCat(
        names - kMaxNames, " further names belong to several groups."));
  }
  verdict.ranks.erase(std::unique(verdict.ranks.begin(), verdict.ranks.end()),
                      verdict.ranks.end());
  verdict.evidence.push_back(
      "Ranks find each other in the store by this name, so members of one "
      "group may be connected to those of the other.");
  verdict.advice.push_back(
      "where the program creates these groups: every rank of the job must call "
      "new_group() for every group, in one order");
  return {std::move(verdict)};
}

}  // namespace traced
