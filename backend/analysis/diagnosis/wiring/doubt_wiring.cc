#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

bool isAboutWiring(const JobVerdict& verdict) {
  return verdict.kind == VerdictKind::kSharedGroupName ||
         verdict.kind == VerdictKind::kEndedUnjoined;
}

std::string namesText(const JobState& job, std::uint32_t group,
                      const GroupNames::RanksByName& names) {
  std::vector<std::string> texts;
  for (const auto& [name, ranks] : names) {
    texts.push_back(absl::StrCat("\"", name, "\" on ", ranksText(ranks)));
  }
  return absl::StrCat("\"", job.catalog.label(group),
                      "\" has several c10d names: ", absl::StrJoin(texts, ", "),
                      ". These ranks made different numbers of groups before, "
                      "and may not find each other.");
}

// Why the members of a group may not be connected, by group.
using Reasons = absl::flat_hash_map<std::uint32_t, std::string>;

Reasons reasonsOf(const JobState& job,
                  const std::vector<JobVerdict>& verdicts) {
  Reasons reasons;
  for (const std::vector<std::uint32_t>& groups :
       job.names.shared(job.catalog)) {
    for (const std::uint32_t group : groups) {
      reasons[group] = absl::StrCat(
          "Which ranks \"", job.catalog.label(group),
          "\" connects is in doubt: groups with other members have its c10d "
          "name, \"",
          job.catalog.groups()[group].name, "\".");
    }
  }
  for (const JobVerdict& verdict : verdicts) {
    if (verdict.kind != VerdictKind::kEndedUnjoined) continue;
    reasons.try_emplace(
        verdict.group,
        absl::StrCat("Which ranks \"", job.catalog.label(verdict.group),
                     "\" connects is in doubt: ", verdict.op, " #", verdict.seq,
                     " ended before a member called it."));
  }
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const GroupNames::RanksByName names = job.names.namesOf(group);
    if (!names.empty()) {
      reasons.try_emplace(group, namesText(job, group, names));
    }
  }
  return reasons;
}

// Returns the reason to doubt a verdict: of its own group, or, of what stands
// still, of one that its ranks are inside of.
const std::string* reasonFor(const JobState& job, const Reasons& reasons,
                             const JobVerdict& verdict) {
  const auto own = reasons.find(verdict.group);
  if (own != reasons.end()) return &own->second;
  if (verdict.kind != VerdictKind::kDeadlock) return nullptr;
  for (const std::uint32_t rank : verdict.ranks) {
    const RankState* state = job.rank(rank);
    if (!state) continue;
    for (const OperationRef& inside : state->inside) {
      const auto found = reasons.find(inside.group);
      if (found != reasons.end()) return &found->second;
    }
  }
  return nullptr;
}

}  // namespace

void doubtWiring(const JobState& job, std::vector<JobVerdict>& verdicts) {
  const Reasons reasons = reasonsOf(job, verdicts);
  if (reasons.empty()) return;
  for (JobVerdict& verdict : verdicts) {
    const bool one = traitsOf(verdict.kind).of_one_rank;
    if (one || isAboutWiring(verdict)) continue;
    const std::string* reason = reasonFor(job, reasons, verdict);
    if (reason) weaken(verdict, *reason);
  }
}

}  // namespace traced
