#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "phrasing/phrase.h"
#include "phrasing/whatif_text.h"
#include "phrasing/words.h"

namespace traced {

std::string transfersText(const SlowTransfers& slow) {
  switch (slow.link) {
    case SlowTransfers::Link::kPairs:
      return absl::StrCat("a message of ", slow.what,
                          slow.between_hosts ? " between hosts" : "",
                          " from rank ", slow.ranks[0], " to rank ",
                          slow.ranks[1]);
    case SlowTransfers::Link::kRanks:
      return absl::StrCat(slow.what, " on ", ranksText(slow.ranks));
    case SlowTransfers::Link::kGroups:
      break;
  }
  return absl::StrCat(slow.what, " among ", ranksText(slow.ranks));
}

namespace {

// Returns what a rank did for a time that explains its lateness.
std::string activityText(LateCause cause, const std::string& time) {
  switch (cause) {
    case LateCause::kCollecting:
      return "collected garbage in Python for " + time;
    case LateCause::kLoading:
      return "was in its DataLoader for " + time;
    case LateCause::kThrottled:
      return "was held to the processor limit of its cgroup for " + time;
    case LateCause::kProcessor:
      return "was ready to run but had no processor for " + time;
    case LateCause::kPaging:
      return "waited for page faults that read from a disk for " + time;
    case LateCause::kStorage:
      return "waited for storage in system calls for " + time;
    case LateCause::kKernel:
      return "slept uninterruptibly in system calls for " + time;
    case LateCause::kGpuClocks:
      return "lost " + time + " to low clocks of its GPU";
  }
  return "";
}

const char* causeText(LateCause cause) {
  switch (cause) {
    case LateCause::kCollecting:
      return "garbage collection";
    case LateCause::kLoading:
      return "DataLoader";
    case LateCause::kThrottled:
      return "processor limit";
    case LateCause::kProcessor:
      return "waits for a processor";
    case LateCause::kPaging:
      return "page faults";
    case LateCause::kStorage:
      return "storage";
    case LateCause::kKernel:
      return "uninterruptible sleep";
    case LateCause::kGpuClocks:
      return "SM clock of its GPU";
  }
  return "";
}

struct TimePhrases {
  const JobState& job;

  std::string operator()(const KeepsWaiting& fact) const {
    const bool one = fact.ranks.size() == 1;
    const std::string who = capitalRanks(fact.ranks);
    const std::string group = groupText(job, fact.group);
    return fact.waits_seen ? absl::StrCat(who, one ? " keeps" : " keep",
                                          " the others of ", group, " waiting.")
                           : absl::StrCat(who, one ? " is" : " are",
                                          " repeatedly late to collectives of ",
                                          group, ".");
  }
  std::string operator()(const LateAlike& fact) const {
    return absl::StrCat(
        "They are late for about as long: to mend one of them alone gains "
        "little. The figures are of rank ",
        fact.figures_of, ".");
  }
  std::string operator()(const LateTo& fact) const {
    return absl::StrCat("It was late, by ", secondsText(fact.median_ns),
                        " (median), to ", fact.times, " of ", fact.of,
                        " collectives from #", fact.first_seq, " to #",
                        fact.last_seq, ".");
  }
  std::string operator()(const ShareOfTime& fact) const {
    return absl::StrCat(
        absl::StrFormat("This is %.0f %% of the time between them",
                        100 * fact.share),
        fact.waits_seen ? "."
                        : ", if the others waited for it. Waits for futures "
                          "are not recorded.");
  }
  std::string operator()(const ComputedLonger& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks),
                        " computed longer than the others",
                        fact.in_turn ? ", mostly in turn." : ".");
  }
  std::string operator()(const LongerInSteps& fact) const {
    constexpr std::size_t kMaxListed = 8;
    std::string which;
    if (fact.are_marked) {
      which = fact.steps.size() <= kMaxListed
                  ? absl::StrCat(": ", absl::StrJoin(fact.steps, ", "))
                  : absl::StrCat(", from step ", fact.steps.front(),
                                 " to step ", fact.steps.back());
    }
    return absl::StrCat(
        "Rank ", fact.rank, " took ", secondsText(fact.median_ns),
        " longer than its peers (median) in ", fact.steps.size(), " of ",
        fact.of, fact.are_marked ? " steps" : " parts of the run", which, ".");
  }
  std::string operator()(const WouldSave& fact) const {
    return absl::StrCat("Without ", fact.ranks.size() == 1 ? "its" : "their",
                        " extra computing the run would take ",
                        savesText({fact.part, fact.low, fact.high}), ".");
  }
  std::string operator()(const JoinedLate& fact) const {
    return absl::StrCat("Rank ", fact.rank, " joined ",
                        callText(job, fact.call), " ",
                        secondsText(fact.late_ns), " late.");
  }
  std::string operator()(const JoinedLateOften& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks),
                        fact.ranks.size() == 1 ? " was late" : " were late",
                        " to collectives of ", groupText(job, fact.group), " ",
                        fact.times, " times", fact.in_turn ? ", in turn" : "",
                        ": ", secondsText(fact.all_ns), " of ",
                        secondsText(fact.span_ns), ".");
  }
  std::string operator()(const OwnLateness& fact) const {
    std::string each;
    for (const auto& [seq, late_ns] : fact.first) {
      absl::StrAppend(&each, each.empty() ? "#" : ", #", seq, " by ",
                      secondsText(late_ns));
    }
    if (fact.times > fact.first.size()) {
      absl::StrAppend(&each, ", and ", fact.times - fact.first.size(), " more");
    }
    return absl::StrCat(
        "Rank ", fact.rank, " was late ",
        fact.times == 1 ? "once" : absl::StrCat(fact.times, " times"), ", ",
        secondsText(fact.all_ns), " in all: to ", each, ".");
  }
  std::string operator()(const ExplainedBy& fact) const {
    return absl::StrCat(
        "Likely cause: ", ranksText(fact.ranks), " ",
        activityText(fact.cause, absl::StrCat("up to ", secondsText(fact.ns))),
        " while ", fact.ranks.size() == 1 ? "it was" : "they were", " late by ",
        secondsText(fact.late_ns), " in all. A rank on time: at most ",
        secondsText(fact.of_others_ns), ".");
  }
  std::string operator()(const NothingExplains& fact) const {
    std::vector<std::string> ruled_out;
    for (const LateCause cause : fact.ruled_out) {
      ruled_out.push_back(causeText(cause));
    }
    return absl::StrCat(
        "Why ", ranksText(fact.ranks),
        fact.ranks.size() == 1 ? " was" : " were", " late is unexplained",
        ruled_out.empty()
            ? "."
            : absl::StrCat("; ruled out: ", absl::StrJoin(ruled_out, ", "),
                           "."));
  }
  std::string operator()(const TransfersAreSlow& fact) const {
    return absl::StrCat(
        "Transfers ", fact.ranks.size() == 1 ? "of " : "between ",
        ranksText(fact.ranks), " are slow, although no rank is late.");
  }
  std::string operator()(const SlowTransfers& fact) const {
    return absl::StrCat(
        transfersText(fact), " takes ", secondsText(fact.median_ns),
        " (median of ", fact.count,
        ") from when all it waits for are ready; of the others' three of four "
        "take at most ",
        secondsText(fact.others_ns), ".");
  }
  std::string operator()(const AskBeforeCalls& ask) const {
    return absl::StrCat("what ", ranksVerb(ask.ranks, "computes", "compute"),
                        " between these calls: data, processor, host");
  }
  std::string operator()(const AskBeforeCall& ask) const {
    return absl::StrCat("what rank ", ask.rank, " did before this call");
  }
  std::string operator()(const AskNetwork& ask) const {
    return absl::StrCat(
        "the network of ", ranksText(ask.ranks),
        ", and what else uses it and their processors at that time");
  }
};

}  // namespace

std::string phrase(const JobState& job, const TimeFact& fact) {
  return std::visit(TimePhrases{job}, fact);
}

}  // namespace traced
