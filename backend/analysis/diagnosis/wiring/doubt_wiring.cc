#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/wiring/wiring_rule.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

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
using Reasons = absl::btree_map<std::uint32_t, std::string>;

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

// A rank that such a group holds up, perhaps while it is made, joins nothing
// else.
void doubtCulprits(const JobState& job, const Reasons& reasons,
                   JobVerdict& verdict) {
  for (const auto& [group, reason] : reasons) {
    const std::vector<std::uint32_t> members = job.membersOf(group).present;
    const bool is_of_culprits =
        std::any_of(verdict.culprits.begin(), verdict.culprits.end(),
                    [&](std::uint32_t rank) {
                      return std::find(members.begin(), members.end(), rank) !=
                             members.end();
                    });
    if (!is_of_culprits) continue;
    verdict.culprit = Confidence::kUndecided;
    verdict.evidence.push_back(reason);
    return;
  }
}

}  // namespace

void doubtWiring(const JobState& job, std::vector<JobVerdict>& verdicts) {
  const Reasons reasons = reasonsOf(job, verdicts);
  if (reasons.empty()) return;
  for (JobVerdict& verdict : verdicts) {
    const VerdictTraits& traits = traitsOf(verdict.kind);
    if (traits.of_one_rank || traits.about_wiring) continue;
    if (const std::string* reason = reasonFor(job, reasons, verdict)) {
      weaken(verdict, *reason);
    } else if (traits.stands_still) {
      doubtCulprits(job, reasons, verdict);
    }
  }
}

}  // namespace traced
