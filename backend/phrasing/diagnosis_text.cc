#include "phrasing/diagnosis_text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/job_state/silence.h"
#include "phrasing/standing_text.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Names the ranks whose trace ends in a call that creates groups.
std::string allCreatingText(const JobState& job) {
  constexpr std::size_t kMaxNamed = 4;
  std::string text;
  std::size_t count = 0;
  for (const RankState& rank : job.ranks) {
    if (!rank.creating || ++count > kMaxNamed) continue;
    absl::StrAppend(&text, "Rank ", rank.rank,
                    rank.running ? " has been in " : " ended in ",
                    creatingText(*rank.creating), ".\n");
  }
  if (count > kMaxNamed) {
    absl::StrAppend(&text, countOf(count - kMaxNamed, "more rank"),
                    " in such calls.\n");
  }
  return text;
}

// Returns a line that counts operations still running at the end of the traces;
// "" if none.
std::string underWayText(const Diagnosis& diagnosis) {
  const std::string creating = allCreatingText(diagnosis.job);
  if (diagnosis.under_way == 0) return creating;
  return absl::StrCat(
      countOf(diagnosis.under_way, "operation"),
      " had not ended at the end of the traces; too recent to be judged.\n",
      creating);
}

// Returns how long all ranks are known, counted from the start of the first.
std::string knownText(const JobState& job) {
  std::int64_t first_ns = job.ranks.front().first_ns;
  std::int64_t known_ns = job.ranks.front().last_ns;
  for (const RankState& rank : job.ranks) {
    first_ns = std::min(first_ns, rank.first_ns);
    known_ns = std::min(known_ns, rank.last_ns);
  }
  return secondsText(std::max<std::int64_t>(known_ns - first_ns, 0));
}

// Returns the sentence for ranks whose traces do not show their end.
std::string endUnknownText(const Diagnosis& diagnosis) {
  const std::vector<std::uint32_t>& ranks = diagnosis.end_unknown;
  return absl::StrCat(
      "Not known: nothing is wrong in what was recorded, but the end of ",
      ranksText(ranks), " is not here.\n", "All ranks are known for the first ",
      knownText(diagnosis.job), " of the run. ", underWayText(diagnosis),
      "To decide: `tracectl diagnose` on the host of ", ranksText(ranks),
      ", where the rest may be in shared memory.\n");
}

// Returns the sentence for ranks that ended for an unrecorded reason.
std::string endedUnclosedText(const Diagnosis& diagnosis) {
  const std::vector<std::uint32_t>& ranks = diagnosis.ended_unclosed;
  return absl::StrCat(
      "Not known: nothing is wrong in what was recorded, but ",
      ranksVerb(ranks, "ended without closing its trace: it was killed",
                "ended without closing their traces: they were killed"),
      ", or left without exit handlers.\n", underWayText(diagnosis),
      "To decide: the logs of the launcher, the scheduler and the kernel.\n");
}

bool anyRuns(const JobState& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankState& rank) { return rank.running; });
}

bool allEnded(const JobState& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankState& rank) { return rank.endKnown(); });
}

// Returns whether the traces show where all these ranks stood.
bool areSampled(const JobState& job, const Ranks& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&job](std::uint32_t rank) {
    return shownStanding(*job.rank(rank)) != nullptr;
  });
}

// Names the live ranks that are outside of operations and call none.
std::string silentText(const JobState& job) {
  const Silence silence = silenceOfLive(job);
  if (silence.ranks.empty()) return "";
  return absl::StrCat(
      "Silent: ", ranksVerb(silence.ranks, "has ", "have "),
      silenceText(silence), ". No record shows whether ",
      silence.ranks.size() > 1 ? "they compute or hang"
                               : "it computes or hangs",
      silence.may_create ? ", such as in new_group()" : "",
      areSampled(job, silence.ranks) ? ".\n" : ": py-spy dump shows it.\n");
}

}  // namespace

std::vector<std::string> groupsOfOne(
    const GroupCatalog& groups,
    const std::function<bool(std::uint32_t)>& is_used) {
  const auto& all = groups.groups();
  const bool has_larger = std::any_of(
      all.begin(), all.end(),
      [](const JobGroup& group) { return group.members.size() > 1; });
  std::vector<std::string> labels;
  if (!has_larger) return labels;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].members.size() == 1 && is_used(i)) {
      labels.push_back(all[i].label);
    }
  }
  return labels;
}

std::string groupsOfOneText(const std::vector<std::string>& labels) {
  constexpr std::size_t kMaxNamed = 4;
  if (labels.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < std::min(labels.size(), kMaxNamed); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "", "\"", printable(labels[i]),
                    "\"");
  }
  if (labels.size() > kMaxNamed) {
    absl::StrAppend(&names, " and ", labels.size() - kMaxNamed, " more");
  }
  return absl::StrCat("Groups of one member exchange nothing: ", names, ".\n");
}

std::vector<std::string> usedGroupsOfOne(const JobState& job) {
  return groupsOfOne(job.catalog, [&job](std::uint32_t group) {
    return !job.groups[group].collectives.members().empty();
  });
}

std::string nothingText(const Diagnosis& diagnosis,
                        const std::string& stock_name) {
  if (!diagnosis.end_unknown.empty()) return endUnknownText(diagnosis);
  if (!diagnosis.ended_unclosed.empty()) return endedUnclosedText(diagnosis);
  const bool runs = anyRuns(diagnosis.job);
  std::string text = "Nothing found";
  if (runs) absl::StrAppend(&text, " up to now, the job still runs");
  if (!stock_name.empty()) absl::StrAppend(&text, " (", stock_name, ")");
  absl::StrAppend(
      &text, ": the ranks agree on every operation that their traces hold",
      allEnded(diagnosis.job) ? ", and all processes have ended" : "", ".\n",
      underWayText(diagnosis), silentText(diagnosis.job),
      groupsOfOneText(usedGroupsOfOne(diagnosis.job)));
  return text;
}

std::string nothingWrongText(const Diagnosis& diagnosis) {
  const std::vector<std::uint32_t> ranks = diagnosis.howEndedUnknown();
  return ranks.empty() ? "Nothing wrong was found."
                       : absl::StrCat("Nothing wrong was found, but how ",
                                      ranksText(ranks), " ended is not known.");
}

std::vector<std::string> unknownTexts(const Diagnosis& diagnosis) {
  std::vector<std::string> texts;
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    if (verdict.kind == VerdictKind::kUndecided) {
      texts.push_back(
          absl::StrCat("Undecided: ", summaryOf(diagnosis.job, verdict)));
    }
  }
  if (!diagnosis.howEndedUnknown().empty()) {
    texts.push_back(absl::StrCat("It is unknown how ",
                                 ranksText(diagnosis.howEndedUnknown()),
                                 " ended."));
  }
  if (diagnosis.under_way > 0) {
    texts.push_back(absl::StrCat(
        countOf(diagnosis.under_way, "operation"),
        " had not ended at the end of the trace; too recent to be judged."));
  }
  if (!diagnosis.rules_left_out.empty()) {
    texts.push_back(
        absl::StrCat("Rules that need data that these sources lack: ",
                     absl::StrJoin(diagnosis.rules_left_out, ", "), "."));
  }
  return texts;
}

}  // namespace traced
