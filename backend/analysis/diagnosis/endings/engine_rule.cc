#include "analysis/diagnosis/endings/engine_rule.h"

#include <algorithm>

#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

constexpr std::size_t kMostEnginesTold = 3;

// The first operation of the group that the rank is known to have been in.
const OperationRef* insideOn(const RankState& rank, std::uint32_t group) {
  for (const OperationRef& ref : rank.inside) {
    if (ref.group == group && ref.until_ns) return &ref;
  }
  return nullptr;
}

std::string stateText(const JobState& job, const RankState& rank,
                      const GroupStop& stop) {
  const auto issued = [&](const OperationRef& ref) {
    return absl::StrCat(operationText(job, ref), ", issued ",
                        secondsText(stop.at_ns - ref.at_ns), " before");
  };
  if (const OperationRef* inside = insideOn(rank, stop.group)) {
    return absl::StrCat("Rank ", rank.rank, " was inside ", issued(*inside),
                        ".");
  }
  if (!stop.last) {
    return absl::StrCat("Rank ", rank.rank, " had called nothing in it.");
  }
  return absl::StrCat("The last call of rank ", rank.rank, " in it was ",
                      issued(*stop.last),
                      "; which operation was under way is not known.");
}

// Some of thousands of groups, as a rule none.
absl::btree_set<std::uint32_t> groupsGivenUp(const JobState& job) {
  absl::btree_set<std::uint32_t> groups;
  for (const RankState& rank : job.ranks) {
    for (const GroupStop& stop : rank.stops) {
      const bool gave_up = rank.stopOf(stop.group)->gave_up;
      if (gave_up && stop.group < job.groups.size()) groups.insert(stop.group);
    }
  }
  return groups;
}

JobVerdict verdictOf(const JobState& job, std::uint32_t group) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kFailed;
  // That it gave up is recorded; whose fault it was is not.
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kUndecided;
  verdict.group = group;
  std::string why;
  for (const RankState& rank : job.ranks) {
    const GroupStop* stop = rank.stopOf(group);
    if (!stop || !stop->gave_up) continue;
    verdict.ranks.push_back(rank.rank);
    if (why.empty()) why = stop->why;
    verdict.since_ns =
        std::min(verdict.since_ns.value_or(stop->at_ns), stop->at_ns);
    if (verdict.ranks.size() <= kMostEnginesTold) {
      verdict.evidence.push_back(stateText(job, rank, *stop));
    }
  }
  verdict.summary =
      absl::StrCat("The engine of \"", job.catalog.label(group),
                   "\" gave up on ", ranksText(verdict.ranks),
                   why.empty() ? "." : absl::StrCat(": ", why, "."));
  verdict.advice.push_back(
      absl::StrCat("the log of ", ranksText(verdict.ranks)));
  return verdict;
}

}  // namespace

std::vector<JobVerdict> findEngineFailures(
    const JobState& job, const std::vector<JobVerdict>& others) {
  const bool told =
      std::any_of(others.begin(), others.end(),
                  [](const JobVerdict& other) { return other.tellsWhy(); });
  if (told) return {};
  std::vector<JobVerdict> verdicts;
  for (const std::uint32_t group : groupsGivenUp(job)) {
    verdicts.push_back(verdictOf(job, group));
  }
  return verdicts;
}

}  // namespace traced
