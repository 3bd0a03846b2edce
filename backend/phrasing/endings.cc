#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "phrasing/phrase.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

const char* doingText(ProcessNow::Doing doing) {
  switch (doing) {
    case ProcessNow::Doing::kStopped:
      return "is stopped by a signal";
    case ProcessNow::Doing::kOnDisk:
      return "waits for a disk";
    case ProcessNow::Doing::kComputes:
      return "computes";
    case ProcessNow::Doing::kSleeps:
    case ProcessNow::Doing::kHidden:
      break;
  }
  return "sleeps";
}

struct EndingPhrases {
  const JobState& job;

  std::string endOfRank(std::uint32_t rank) const {
    return endText(job.rank(rank)->end);
  }

  std::string operator()(const ProcessesFailed& fact) const {
    return absl::StrCat(
        ranksText(fact.ranks),
        fact.ranks.size() == 1
            ? ""
            : absl::StrCat(" failed alike; rank ", fact.first, " first: it"),
        " ", endOfRank(fact.first), ".");
  }
  std::string operator()(const AlsoEnded& fact) const {
    return absl::StrCat(
        "Rank ", fact.rank, " ", endOfRank(fact.rank), ".",
        fact.later_ns
            ? absl::StrCat(" That was ", secondsText(*fact.later_ns), " later.")
            : "");
  }
  std::string operator()(const ContinuedAfterFailure& fact) const {
    return absl::StrCat("Rank ", fact.rank, " caught the failure of ",
                        placedText(job, fact.failed), " and continued with ",
                        placedText(job, fact.last), ".");
  }
  std::string operator()(const HadBeenIn& fact) const {
    return absl::StrCat("Rank ", fact.rank, " had been in ",
                        placedText(job, fact.call), " for ",
                        secondsText(fact.waited_ns), " by then.");
  }
  std::string operator()(const JobKilled& fact) const {
    std::vector<std::string> signals;
    for (const auto& [signal, ranks] : fact.ranks_by_signal) {
      signals.push_back(
          fact.ranks_by_signal.size() == 1
              ? signal
              : absl::StrCat(signal, " (", ranksText(ranks), ")"));
    }
    std::string text = absl::StrCat(
        capitalRanks(fact.ranks),
        fact.ranks.size() == 1 ? " was killed by " : " were killed by ",
        absl::StrJoin(signals, " and "));
    if (!fact.silent.empty()) {
      const char* they = fact.silent.size() > 1 ? "they" : "it";
      absl::StrAppend(&text, "; ",
                      fact.silent == fact.ranks ? they : ranksText(fact.silent),
                      " had ", silenceText(fact.silent, fact.silent_ns));
    }
    return text + ".";
  }
  std::string operator()(const SilenceUnexplained& fact) const {
    return absl::StrCat(
        fact.longest_pause_ns == 0
            ? ""
            : absl::StrCat(
                  "The longest pause between two operations before was ",
                  secondsText(fact.longest_pause_ns), ". "),
        "No record shows whether ", fact.several ? "they" : "it",
        " computed or hung",
        fact.may_create ? ", such as in new_group()." : ".");
  }
  std::string operator()(const KilledCreating& fact) const {
    const bool several = fact.ranks.size() > 1;
    return absl::StrCat(
        capitalRanks(fact.ranks), " had been in ",
        printable(fact.call.function), "() for ", several ? "at least " : "",
        secondsText(static_cast<std::int64_t>(fact.call.for_ns)), " when ",
        several ? "they were" : "it was", " killed",
        fact.call.site.empty()
            ? ""
            : absl::StrCat("; called at ", printable(fact.call.site)),
        ".");
  }
  std::string operator()(const EngineGaveUp& fact) const {
    return absl::StrCat("The engine of ", groupText(job, fact.group),
                        " gave up on ", ranksText(fact.ranks),
                        fact.why.empty() ? "" : ": ", fact.why, ".");
  }
  std::string operator()(const StateAtGivingUp& fact) const {
    if (!fact.call) {
      return absl::StrCat("Rank ", fact.rank, " had called nothing in it.");
    }
    const std::string issued =
        absl::StrCat(operationText(job, *fact.call), ", issued ",
                     secondsText(fact.issued_before_ns), " before");
    return fact.is_inside
               ? absl::StrCat("Rank ", fact.rank, " was inside ", issued, ".")
               : absl::StrCat("The last call of rank ", fact.rank,
                              " in it was ", issued,
                              "; which operation was under way is not known.");
  }
  std::string operator()(const FailedForUnknownReason& fact) const {
    return absl::StrCat(operationText(job, fact.call), " failed on rank ",
                        fact.rank, "; the traces do not show why.");
  }
  std::string operator()(const CallFailed& fact) const {
    return absl::StrCat(
        placedText(job, fact.call), " failed on rank ", fact.rank,
        fact.error.empty() ? "." : absl::StrCat(": ", fact.error));
  }
  std::string operator()(const NeverWaited& fact) const {
    return absl::StrCat("Rank ", fact.rank, " never waited for ",
                        operationText(job, fact.call),
                        "; the backend completes it only in a wait.");
  }
  std::string operator()(const BuffersOverlap& fact) const {
    return absl::StrCat("Rank ", fact.rank, " issued ",
                        operationText(job, fact.call), " on memory that ",
                        operationText(job, fact.earlier),
                        " was still using, and one of them writes it.");
  }
  std::string operator()(const FirstOfMany& fact) const {
    return absl::StrCat("The first of ", fact.count, " on rank ", fact.rank,
                        ".");
  }
  std::string operator()(const ProcessNow& fact) const {
    if (fact.doing == ProcessNow::Doing::kHidden) {
      return absl::StrFormat(
          "The state of the process of rank %d is unknown here: it runs in "
          "another container or as another user.",
          fact.rank);
    }
    return absl::StrFormat(
        "The process of rank %d (%d) %s: %.2f s of processor time in %.2f s.",
        fact.rank, fact.pid, doingText(fact.doing), fact.cpu_s, fact.span_s);
  }
};

}  // namespace

std::string phrase(const JobState& job, const EndingFact& fact) {
  return std::visit(EndingPhrases{job}, fact);
}

}  // namespace traced
