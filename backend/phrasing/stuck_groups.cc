#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phrasing/phrase.h"
#include "phrasing/standing_text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Returns the ranks, or only their number if the list is long.
std::string othersText(const OtherRanks& others) {
  constexpr std::size_t kMaxBytes = 24;
  const std::string text = ranksText(others.ranks);
  if (text.size() <= kMaxBytes) return text;
  return absl::StrCat(others.all ? "the other " : "", others.ranks.size(),
                      " ranks");
}

struct StuckGroupPhrases {
  const JobState& job;

  const ProcessEnd& endOfRank(std::uint32_t rank) const {
    return job.rank(rank)->end;
  }

  // Returns the first sentence about how a process ended, possibly cut.
  std::string shortEnd(std::uint32_t rank) const {
    constexpr std::size_t kMaxBytes = 120;
    const ProcessEnd& end = endOfRank(rank);
    const std::string text = endText(end);
    const std::string first = text.substr(0, text.find(". "));
    return first.size() <= kMaxBytes ? first : nameOf(end.kind);
  }

  // Returns why these ranks left: "raised ValueError: boom before".
  std::string whyTheyLeft(const Ranks& left) const {
    const std::string first = shortEnd(left.front());
    const bool alike = std::all_of(
        left.begin(), left.end(),
        [&](std::uint32_t rank) { return shortEnd(rank) == first; });
    return alike ? absl::StrCat(endOf(left, first), " before") : "left before";
  }

  // Returns which other ranks the same signal killed: ", as were all other
  // ranks". "" if none.
  std::string killedAlike(std::uint32_t rank) const {
    const ProcessEnd& end = endOfRank(rank);
    if (end.kind != EndKind::kKilled) return "";
    OtherRanks others;
    for (const RankState& other : job.ranks) {
      if (other.rank == rank || other.end.kind != EndKind::kKilled ||
          other.end.signal != end.signal) {
        continue;
      }
      others.ranks.push_back(other.rank);
    }
    const std::size_t count = others.ranks.size();
    if (count == 0) return "";
    const bool all = count + 1 == job.ranks.size();
    return absl::StrCat(
        count == 1 ? ", as was " : ", as were ",
        all && count > 1 ? "all other ranks" : othersText(others));
  }

  std::string operator()(const DoesInstead& does) const {
    using Doing = DoesInstead::Doing;
    std::string text = absl::StrCat("Rank ", does.rank, " ");
    const std::string call =
        does.doing <= Doing::kInNone ? placedText(job, does.call) : "";
    switch (does.doing) {
      case Doing::kInside:
        absl::StrAppend(&text,
                        does.cut_off   ? "was inside "
                        : does.perhaps ? "may be inside "
                                       : "is inside ",
                        call,
                        does.waited_ns > 0
                            ? absl::StrCat(" for ", secondsText(does.waited_ns))
                            : "",
                        does.cut_off ? ", until it was cut off" : "");
        break;
      case Doing::kHadFailed:
        absl::StrAppend(&text, "had failed in ", call);
        break;
      case Doing::kInNone:
        absl::StrAppend(&text, "is in no ",
                        does.some_left_out ? "recorded " : "", "operation",
                        does.last_is_unseen ? " that would show" : "",
                        "; its last was ", call);
        break;
      case Doing::kNothingUnderWay:
        absl::StrAppend(&text, "has nothing under way");
        break;
      case Doing::kCalledNothing:
        absl::StrAppend(&text, does.some_left_out
                                   ? "called nothing that was recorded"
                                   : "called nothing at all");
        break;
    }
    const RankState* rank = job.rank(does.rank);
    if (rank && rank->creating && does.doing >= Doing::kInNone) {
      absl::StrAppend(&text, ", and it is in ", creatingText(*rank->creating));
    }
    const std::string stood = rank ? stoodText(*rank) : "";
    switch (does.process) {
      case DoesInstead::Process::kDumped:
        return text + " in its dump.";
      case DoesInstead::Process::kLives:
        return absl::StrCat(text, "; its process lives.", stood);
      case DoesInstead::Process::kUnknown:
        return absl::StrCat(
            text, "; its trace does not show whether its process lives.",
            stood);
      case DoesInstead::Process::kEnded:
        break;
    }
    const ProcessEnd& end = endOfRank(does.rank);
    const std::string& line = end.interrupted_at;
    return absl::StrCat(text, "; its process ", endText(end),
                        line.empty() ? "" : " at ", line,
                        killedAlike(does.rank), ".", stood);
  }

  // Returns a predicate for the ranks that did not join.
  std::string whatTheyDid(const NotJoined& fact) const {
    const std::string what = callText(job, fact.call);
    switch (fact.how) {
      case NotJoined::How::kLeftBefore:
        return absl::StrCat(ranksText(fact.ranks), " ", whyTheyLeft(fact.ranks),
                            " ", what);
      case NotJoined::How::kNotYet:
        return absl::StrCat(ranksVerb(fact.ranks, "has", "have"),
                            " not joined ", what, " yet");
      case NotJoined::How::kNever:
        break;
    }
    return absl::StrCat(ranksText(fact.ranks), " never joined ", what);
  }
  std::string operator()(const NotJoined& fact) const {
    using Others = NotJoined::Others;
    const std::string who = othersText(fact.others);
    std::string others_do;
    switch (fact.others_do) {
      case Others::kWait:
        others_do =
            absl::StrCat(who, fact.others.ranks.size() == 1 ? " waits for it"
                                                            : " wait for it");
        break;
      case Others::kMayWait:
        others_do = who + " may wait for it";
        break;
      case Others::kCalledIt:
        others_do = who + " called it";
        break;
      case Others::kFailedIn:
        others_do = "it failed on " + who;
        break;
    }
    if (fact.waited_ns > 0) {
      absl::StrAppend(&others_do, fact.at_least ? ", for at least " : ", for ",
                      secondsText(fact.waited_ns));
    }
    return absl::StrCat(whatTheyDid(fact), "; ", others_do, ".");
  }
  std::string operator()(const OnlyTheseCalled& fact) const {
    return absl::StrCat("Only ", ranksText(fact.joined), " called ",
                        callText(job, fact.call), "; ", ranksText(fact.missing),
                        " ended without it.");
  }
  std::string operator()(const CutOffBeforeJoining& fact) const {
    const ProcessEnd& end = endOfRank(fact.missing.front());
    const bool one = fact.missing.size() == 1;
    std::string text = absl::StrCat(
        ranksText(fact.missing), " had not joined ", callText(job, fact.call),
        " when ",
        end.wasInterrupted()
            ? "the job was interrupted"
            : (one ? "it was" : "they were") + endText(end).substr(3),
        "; ",
        fact.waiting.ranks.empty() ? "the others" : othersText(fact.waiting),
        fact.perhaps ? " may have waited " : " had waited ",
        secondsText(fact.waited_ns), ".");
    if (one && !end.interrupted_at.empty()) {
      absl::StrAppend(&text, " Rank ", fact.missing.front(), " was at ",
                      end.interrupted_at, ".");
    } else if (one) {
      absl::StrAppend(&text, stoodText(*job.rank(fact.missing.front())));
    }
    return text;
  }
  std::string operator()(const GroupAborted& fact) const {
    return absl::StrCat(
        groupText(job, fact.group), " was aborted on ", ranksText(fact.inside),
        " while ", callText(job, fact.call), " was under way there",
        fact.missing.empty() ? "."
                             : absl::StrCat("; ", ranksText(fact.missing),
                                            " had not joined it."));
  }
  std::string operator()(const GroupStopped& fact) const {
    const std::string after =
        fact.after_ns ? absl::StrCat(", ", fact.more_than ? "more than " : "",
                                     secondsText(*fact.after_ns),
                                     " after it had issued it")
                      : "";
    if (!fact.gave_up) {
      return absl::StrCat("Rank ", fact.rank, " aborted the group", after, ".");
    }
    return absl::StrCat("The engine of rank ", fact.rank, " gave up", after,
                        fact.why.empty() ? "" : ": ", fact.why, ".");
  }
  std::string operator()(const DidNotEnd& fact) const {
    return absl::StrCat(callText(job, fact.call), " did not end on ",
                        ranksText(fact.inside),
                        "; the traces do not show why.");
  }
  std::string operator()(const DiedInside& fact) const {
    const ProcessEnd& end = endOfRank(fact.ranks.front());
    const std::string how = end.kind == EndKind::kDied ? "died" : endText(end);
    return absl::StrCat(ranksText(fact.ranks), " ", endOf(fact.ranks, how),
                        " inside ", callText(job, fact.call), ".");
  }
  std::string operator()(const SilentInside& fact) const {
    return absl::StrCat(
        ranksText(fact.ranks), " joined ", callText(job, fact.call),
        " and recorded nothing more, while the others failed in it.");
  }
  std::string operator()(const CollectiveFailed& fact) const {
    return absl::StrCat(callText(job, fact.call), " failed on ",
                        ranksText(fact.ranks), ".");
  }
  std::string operator()(const JoinedTooLate& fact) const {
    return absl::StrCat(
        ranksText(fact.ranks), " joined ", callText(job, fact.call), " ",
        secondsText(fact.late_ns), " late; it had timed out on ",
        ranksText(fact.gave_up), " after ", secondsText(fact.waited_ns), ".");
  }
  std::string operator()(const CaughtFailure& fact) const {
    const std::string result =
        fact.failed == 0 ? ""
        : fact.failed == fact.calls
            ? (fact.calls == 1 ? ", which failed, too"
                               : ", which all failed, too")
            : absl::StrCat(", ", fact.failed, " of which failed, too");
    return absl::StrCat(
        capitalRanks(fact.ranks), " caught that failure and made ", fact.calls,
        fact.calls == 1 ? " more call" : " more calls", result, ".");
  }
  std::string operator()(const HangsIn& fact) const {
    return absl::StrCat(
        ranksVerb(fact.inside, "hangs", "hang"), " in ",
        callText(job, fact.call),
        fact.waited_ns ? absl::StrCat(", for ", secondsText(*fact.waited_ns))
                       : "",
        ": all members joined it, ",
        fact.ended.empty()
            ? "none ended it."
            : absl::StrCat("and ", ranksText(fact.ended), " ended it."));
  }
  std::string operator()(const NoFurtherCall& fact) const {
    return absl::StrCat("After joining it ", ranksText(fact.ranks),
                        " recorded no further call, while the others went on.");
  }
  std::string operator()(const LastJoined& fact) const {
    return absl::StrCat("The last of them joined ", secondsText(fact.ago_ns),
                        " before the traces end.");
  }
  std::string operator()(const StartedToo& fact) const {
    return absl::StrCat(
        "It cannot end before all ranks have started it: ",
        ranksVerb(fact.ranks, "has", "have"),
        " started it too, and the device or the watchdog there stopped, or "
        "the dump was made before.");
  }
  std::string operator()(const EndNotObserved& fact) const {
    return absl::StrCat("Whether it ended on ", ranksText(fact.ranks),
                        " could not be observed.");
  }
  std::string operator()(const WaitNotRecorded& fact) const {
    return absl::StrCat("No record shows whether ",
                        ranksVerb(fact.ranks, "waits", "wait"),
                        " for it, and only a wait shows its end. The program "
                        "may be stuck elsewhere.");
  }
  std::string operator()(const LeftNoDump& fact) const {
    return absl::StrCat(ranksVerb(fact.absent, "has", "have"),
                        " left no dump, and ",
                        ranksVerb(fact.inside, "waits", "wait"), " in ",
                        callText(job, fact.call), ".");
  }
  std::string operator()(const AlsoWaitedFor& fact) const {
    return absl::StrCat(ranksVerb(fact.ranks, "is", "are"), " waited for in ",
                        stuckText(job, fact.in), ", too.");
  }
  std::string operator()(const AndMore& fact) const {
    return absl::StrCat("And in ", fact.count, " more.");
  }
  std::string operator()(const InsideAndWaits& fact) const {
    return absl::StrCat(fact.perhaps
                            ? ranksVerb(fact.inside, "may be", "may be")
                            : ranksVerb(fact.inside, "is", "are"),
                        " inside ", stuckText(job, fact.in), " and ",
                        fact.inside.size() == 1 ? "waits" : "wait", " for ",
                        ranksText(fact.missing), ".");
  }
  std::string operator()(const Deadlock& fact) const {
    return absl::StrCat("Deadlock: ", ranksText(fact.ranks),
                        " wait for each other in ", fact.operations,
                        " operations.");
  }
  std::string operator()(const OnlyWaits& fact) const {
    const std::string what = stuckText(job, fact.example);
    const std::string who =
        fact.ranks.empty() ? ""
                           : absl::StrCat(" (", ranksText(fact.ranks), ")");
    const char* may = fact.certain ? "" : " may";
    return fact.operations == 1
               ? absl::StrCat(what, who, may,
                              fact.certain ? " only waits for that."
                                           : " only wait for that.")
               : absl::StrCat(fact.operations, " more operations", who, may,
                              " only wait for that, such as ", what, ".");
  }

  std::string operator()(const AskWhyAborted& ask) const {
    return absl::StrCat("why the program aborted the group: the log of ",
                        ranksText(ask.ranks));
  }
  std::string operator()(const AskFiles& ask) const {
    return absl::StrCat("to decide: the files of ", ranksText(ask.ranks));
  }
  std::string operator()(const AskAllRecords& ask) const {
    return absl::StrCat("to decide: all records of ", ranksText(ask.ranks),
                        "; a larger TRACED_RING_MB loses fewer");
  }
  std::string operator()(const AskLogAndDump& ask) const {
    return absl::StrCat("the log of ", ranksText(ask.ranks), ", and its dump");
  }
  std::string operator()(const AskCallOrder& ask) const {
    return absl::StrCat("in which order ",
                        ranksVerb(ask.ranks, "makes", "make"), " these calls");
  }
};

}  // namespace

std::string phrase(const JobState& job, const StuckGroupFact& fact) {
  return std::visit(StuckGroupPhrases{job}, fact);
}

}  // namespace traced
