#include <string_view>

#include "absl/strings/str_cat.h"
#include "phrasing/phrase.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Shortens "MemoryError, raised at /job/train.py:9 in train" to "MemoryError
// (train.py:9)".
std::string shortHandling(const std::string& handling) {
  constexpr std::string_view kRaised = ", raised at ";
  const std::size_t comma = handling.find(kRaised);
  if (comma == std::string::npos) return handling;
  std::string line = handling.substr(comma + kRaised.size());
  line.resize(std::min(line.rfind(" in "), line.size()));
  line.erase(0, line.rfind('/') + 1);
  return absl::StrCat(handling.substr(0, comma), " (", line, ")");
}

struct SharedPhrases {
  const JobState& job;

  std::string operator()(const NoTrace& fact) const {
    return absl::StrCat("No trace of ", ranksText(fact.ranks), ".");
  }
  std::string operator()(const LostRecords& fact) const {
    return absl::StrCat("The trace of rank ", fact.rank, " lost ",
                        lostText(job.rank(fact.rank)->lost), ".");
  }
  std::string operator()(const FailedWith& fact) const {
    return absl::StrCat(
        "It failed on ", ranksText(fact.ranks),
        fact.error.empty() ? "." : absl::StrCat(": ", fact.error));
  }
  std::string operator()(const BeganInStep& fact) const {
    return absl::StrCat("It began in step ", fact.step, ".");
  }
  std::string operator()(const CalledAt& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks), " called it ",
                        placeText(*fact.place), ".");
  }
  std::string operator()(const WasHandling& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks),
                        fact.ranks.size() == 1 ? " was" : " were", " handling ",
                        shortHandling(fact.exception), ".");
  }
  std::string operator()(const UnknownEngine& fact) const {
    return absl::StrCat("It is unknown how the backend ",
                        fact.backend.empty() ? "?" : fact.backend,
                        " executes operations, so c10d's rules are assumed.");
  }
  std::string operator()(const AskLog& ask) const {
    return absl::StrCat("the log of ", ranksText(ask.ranks));
  }
  std::string operator()(const AskWhere& ask) const {
    return absl::StrCat("where ", ranksVerb(ask.ranks, "is", "are"),
                        " in the program, and its log");
  }
};

}  // namespace

std::string phrase(const JobState& /*job*/, PlainFact remark) {
  switch (remark) {
    case PlainFact::kTwoCannotOutvote:
      return "Two cannot outvote each other: both are named.";
    case PlainFact::kMayBeOfTwoRuns:
      return "These ranks may be of two runs: see the warning about streams "
             "that were left out.";
    case PlainFact::kCutOffTooSoonToJudge:
      return "It may have ended later: the job was cut off before it was stuck "
             "for long.";
    case PlainFact::kAllWereEnded:
      return "All its members were interrupted or killed.";
    case PlainFact::kMayBeInUnrecorded:
      return "It may wait in an operation that TRACED_SCOPE left out.";
    case PlainFact::kEndedByItself:
      return "Its process ended by itself: if it was not to make this call, "
             "the other made one too many. Two cannot outvote each other.";
    case PlainFact::kLivingProcessDumps:
      return "A living process writes a dump when the others do. So it had "
             "ended, could not write one, or its dump is not among these "
             "files.";
    case PlainFact::kOrderIsUnknown:
      return "It is unknown which rank called the wrong operation, so all are "
             "named.";
    case PlainFact::kAskNetworkOfMembers:
      return "the network between the members, and the log of the backend";
    case PlainFact::kNoLaterCall:
      return "No later call shows which of them is out of step.";
    case PlainFact::kNobodyElseCalledIt:
      return "No other rank called it there at any time.";
    case PlainFact::kSomeInBatches:
      return "Some of these messages are in batches and some are not, so their "
             "matching is uncertain.";
    case PlainFact::kAskBothSides:
      return "both sides of this exchange in the program";
    case PlainFact::kAskNetworkOfTwo:
      return "the network between the two, and the log of the backend";
    case PlainFact::kSignalSenderUnknown:
      return "The sender of the signal is not recorded.";
    case PlainFact::kAskLogsOfSystem:
      return "the logs of the launcher, the scheduler and the kernel";
    case PlainFact::kAskDumpOfSilentRank:
      return "when it stops again, before it is killed: py-spy dump of a "
             "silent rank";
    case PlainFact::kAskWaitForWork:
      return "a wait() for the Work that this call returned";
    case PlainFact::kAskWaitBetween:
      return "a wait between the two, or a buffer for each";
    case PlainFact::kAskWaitBeforeChange:
      return "where the program writes this tensor: it must wait for the Work "
             "first";
    case PlainFact::kAskWhatChangedData:
      return "memory, devices and network of these hosts, and whether the "
             "program writes these tensors meanwhile";
    case PlainFact::kMayHaveWritten:
      return "The program may have written one of these tensors before it "
             "waited.";
    case PlainFact::kNoNanReceived:
      return "No operation had given it NaN that stayed.";
    case PlainFact::kNotAllExamined:
      return "Some earlier results were not examined, or had NaN for a while.";
    case PlainFact::kAskWhatMadeNan:
      return "what it computed before: the loss, its inputs and the gradients "
             "of this module";
    case PlainFact::kAskMagnitudes:
      return "the scale of the loss, the learning rate, and whether a type "
             "with "
             "a larger range is needed here";
    case PlainFact::kCopiesAssumed:
      return "The model does not say which ranks hold copies; all ranks of the "
             "given group were assumed to.";
    case PlainFact::kStepsUnknown:
      return "Without recorded steps, ranks may have made this check at "
             "different moments.";
    case PlainFact::kAskSynchronisation:
      return "whether the gradients of this parameter are reduced over all "
             "these ranks, and what changes it otherwise";
    case PlainFact::kExactOnOneClock:
      return "All its members read one clock, so the figures are exact.";
    case PlainFact::kSeveralClocks:
      return "Its members read several clocks: those of one host are compared "
             "exactly, others as far as it is certain.";
    case PlainFact::kTenTimesUsual:
      return "This is more than ten times the usual lateness of the last rank.";
    case PlainFact::kAtLeastThat:
      return "Its members read several clocks, so this is a lower bound.";
    case PlainFact::kComparedOnHost:
      return "It is compared with the ranks of its host; on others some may "
             "have been later.";
    case PlainFact::kMayWaitForSlowPart:
      return "Some of them may be slow only because others pass them their "
             "part.";
    case PlainFact::kQuickWithOthers:
      return "Each of them is quick with others, so the link between them is "
             "slow.";
    case PlainFact::kWhichIsUnknown:
      return "The traces do not show which of them, or which link between "
             "them.";
    case PlainFact::kAskGradientNorms:
      return "the norm of one gradient on each rank after backward, such as by "
             "all_gather. Replicas of one model must agree. Ignore this if "
             "each rank trains a model of its own, or averages its parameters "
             "later";
    case PlainFact::kMetByName:
      return "Ranks find each other in the store by this name, so members of "
             "one group may be connected to those of the other.";
    case PlainFact::kAskNewGroups:
      return "where the program creates these groups: every rank of the job "
             "must call new_group() for every group, in one order";
  }
  return "";
}

std::string phrase(const JobState& job, const SharedFact& fact) {
  return std::visit(SharedPhrases{job}, fact);
}

std::string phrase(const JobState& job, const Fact& fact) {
  return std::visit([&job](const auto& each) { return phrase(job, each); },
                    fact);
}

}  // namespace traced
