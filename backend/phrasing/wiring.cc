#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phrasing/phrase.h"
#include "phrasing/words.h"

namespace traced {
namespace {

constexpr char kNewGroups[] =
    ": every rank of the job must call new_group() for every group, in one "
    "order";

struct WiringPhrases {
  const JobState& job;

  std::string operator()(const EndedUnjoined& fact) const {
    return absl::StrCat(callText(job, fact.call), " ended on rank ", fact.ended,
                        " ", secondsText(fact.early_ns), " before rank ",
                        fact.called, " called it.");
  }
  std::string operator()(const ConnectedElsewhere& fact) const {
    return absl::StrCat(
        "It cannot end on any rank before all members have called it: rank ",
        fact.rank, " is connected to other ranks than those of ",
        groupText(job, fact.group), ".");
  }
  std::string operator()(const EndedLikeThat& fact) const {
    return absl::StrCat(fact.collectives,
                        " collectives of the group ended like that.");
  }
  // Returns, for example, "c10d gave the name "1" to "ep" (ranks 0-1) and
  // "ep#2" (ranks 2-3)."
  std::string operator()(const NameIsShared& fact) const {
    constexpr std::size_t kMaxGroups = 4;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < fact.groups.size() && i < kMaxGroups; ++i) {
      const std::uint32_t group = fact.groups[i];
      texts.push_back(absl::StrCat(groupText(job, group), " (",
                                   ranksText(job.membersOf(group).present),
                                   ")"));
    }
    if (fact.groups.size() > kMaxGroups) {
      texts.push_back(absl::StrCat(fact.groups.size() - kMaxGroups, " more"));
    }
    const std::string last = texts.back();
    texts.pop_back();
    return absl::StrCat(fact.another ? "It also" : "c10d", " gave the name \"",
                        job.catalog.groups()[fact.groups.front()].name,
                        "\" to ", absl::StrJoin(texts, ", "), " and ", last,
                        ".");
  }
  std::string operator()(const MoreSharedNames& fact) const {
    return absl::StrCat(fact.names, " further names belong to several groups.");
  }
  std::string operator()(const OthersHaveItsName& fact) const {
    return absl::StrCat(
        "Which ranks ", groupText(job, fact.group),
        " connects is in doubt: groups with other members have its c10d name, "
        "\"",
        job.catalog.groups()[fact.group].name, "\".");
  }
  std::string operator()(const EndedBeforeCalled& fact) const {
    return absl::StrCat("Which ranks ", groupText(job, fact.call.group),
                        " connects is in doubt: ", fact.call.op, " #",
                        fact.call.seq, " ended before a member called it.");
  }
  std::string operator()(const HasSeveralNames& fact) const {
    std::vector<std::string> texts;
    for (const auto& [name, ranks] : job.names.namesOf(fact.group)) {
      texts.push_back(absl::StrCat("\"", name, "\" on ", ranksText(ranks)));
    }
    return absl::StrCat(
        groupText(job, fact.group),
        " has several c10d names: ", absl::StrJoin(texts, ", "),
        ". These ranks made different numbers of groups before, and may not "
        "find each other.");
  }
  std::string operator()(const AskWhereCreated& ask) const {
    return absl::StrCat("where the program creates ", groupText(job, ask.group),
                        kNewGroups);
  }
};

}  // namespace

std::string phrase(const JobState& job, const WiringFact& fact) {
  return std::visit(WiringPhrases{job}, fact);
}

}  // namespace traced
