#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "phrasing/phrase.h"
#include "phrasing/words.h"

namespace traced {
namespace {

struct CallPhrases {
  const JobState& job;

  // Returns "barrier #3 of \"dp\"", or, by its arguments, "all_reduce (64 B
  // float32, sum) on \"dp\"".
  std::string pointText(const ProgramPoint& point) const {
    if (point.at == ProgramPoint::At::kBegin) return "its beginning";
    if (point.at == ProgramPoint::At::kEnd) return "its end";
    const CallOn& call = point.call;
    if (point.own_groups) {
      return absl::StrCat(point.signature, " on their groups \"",
                          givenLabel(job.catalog.groups()[call.group]), "\"");
    }
    if (!point.signature.empty()) {
      return absl::StrCat(point.signature, " on ", groupText(job, call.group));
    }
    const auto& pair = call.pair;
    const bool sends = call.op == "send";
    return absl::StrCat(call.op, " #", call.seq,
                        pair ? absl::StrCat(sends ? " to rank " : " from rank ",
                                            sends ? pair->second : pair->first)
                             : "",
                        " of ", groupText(job, call.group));
  }

  std::string operator()(const CallsDiffer& fact) const {
    return absl::StrCat(ranksText(fact.odd), " called ", fact.called, " as ",
                        numberText(job, fact.group, fact.seq), "; ",
                        ranksText(fact.usual), " called ", fact.expected, ".");
  }
  std::string operator()(const OutOfStep& fact) const {
    const std::string from_there =
        absl::StrCat("From there on ", ranksVerb(fact.ranks, "is", "are"), " ");
    switch (fact.shift) {
      case CallShift::kSwapped:
        return absl::StrCat(ranksText(fact.ranks),
                            " made both calls, but in the opposite order of ",
                            ranksText(fact.others), ".");
      case CallShift::kExtra:
        return from_there + "one call behind, as after an extra one.";
      case CallShift::kLeftOut:
        return from_there + "one call ahead, as after one that was left out.";
      case CallShift::kExtraOrLeftOut:
        return from_there +
               "out of step by a call: one was left out or made once more, "
               "later calls do not show which.";
      case CallShift::kUnclear:
        return "Whether a call was left out, made once more, or two were made "
               "in the opposite order, later calls do not show which.";
      case CallShift::kNone:
        break;
    }
    return "";
  }
  std::string operator()(const SameAgain& fact) const {
    return absl::StrCat(
        "The same again in ", fact.operations,
        fact.operations == 1 ? " later operation." : " later operations.");
  }
  std::string operator()(const AgreedBefore& fact) const {
    return absl::StrCat("Before that they agree on all operations of ",
                        groupText(job, fact.group), " that both traces hold.");
  }
  std::string operator()(const NeedsOtherRanks& fact) const {
    return absl::StrCat(
        "Only the other members can show which is right: the files of ",
        ranksText(fact.absent), " are needed.");
  }
  std::string operator()(const ThreadsRace& fact) const {
    return absl::StrCat("Two threads of each rank race for ",
                        groupText(job, fact.group), ":");
  }
  std::string operator()(const ThreadOrder& fact) const {
    return absl::StrCat("On ", ranksText(fact.usual), " one thread called #",
                        fact.seq, fact.site.empty() ? "" : " at ", fact.site,
                        ", and before that ended another one called #",
                        fact.seq + 1, fact.next_site.empty() ? "" : " at ",
                        fact.next_site, ". On ", ranksText(fact.odd),
                        " they did so in the opposite order.");
  }
  std::string operator()(const SplitsDisagree& fact) const {
    return absl::StrCat("The members of ", callText(job, fact.call),
                        " disagree on who sends how much to whom.");
  }
  std::string operator()(const SplitOf& fact) const {
    return absl::StrCat("Rank ", fact.from, " sends ", fact.sends, " to rank ",
                        fact.to, ", which expects ", fact.expects, ".");
  }
  std::string operator()(const ContinuedDifferently& fact) const {
    return absl::StrCat(
        "After ", pointText(fact.after), " ", ranksText(fact.few),
        " continued with ", pointText(fact.next), "; in the same place ",
        ranksText(fact.many), " called ", pointText(fact.others_next), ".");
  }
  std::string operator()(const BrokeHabit& fact) const {
    return absl::StrCat(
        "After ", pointText(fact.after), " rank ", fact.rank,
        " continued with ", pointText(fact.next), "; ",
        fact.times == 1
            ? "the time before"
            : absl::StrCat("of the ", fact.times, " times before, the last"),
        " with ", pointText(fact.last_next), ".");
  }
  std::string operator()(const CalledElsewhere& fact) const {
    const std::string makers = ranksText(fact.makers);
    const std::string others = ranksText(fact.others);
    const std::string what =
        absl::StrCat(pointText(fact.what), " at ", fact.site);
    switch (fact.likely) {
      case CalledElsewhere::Likely::kExtra:
        return absl::StrCat(makers, " likely made an extra call: ", what,
                            ", where ", others, " called it at ",
                            fact.others_site);
      case CalledElsewhere::Likely::kLeftOut:
        return absl::StrCat(others, " likely left out a call: ", what,
                            ", where ", makers, " called it and ", others,
                            " continued at ", fact.others_site);
      case CalledElsewhere::Likely::kUnknown:
        break;
    }
    return absl::StrCat(makers, " called ", what, " and ", others, " at ",
                        fact.others_site);
  }
  std::string operator()(const SitesMatchWithout& fact) const {
    const bool one = fact.calls == 1;
    return absl::StrCat("From #", fact.seq, " on, the call sites of ",
                        ranksText(fact.others), " match those of ",
                        ranksText(fact.makers), " if ", fact.calls,
                        one ? " call" : " calls", " of the latter ",
                        one ? "is" : "are", " left out.");
  }
  std::string operator()(const SiteHabit& fact) const {
    return absl::StrCat("In the same place before, ", ranksText(fact.ranks),
                        fact.called ? " called it, too." : " did not call it.");
  }
  std::string operator()(const AskBefore& ask) const {
    return absl::StrCat("what ", ranksVerb(ask.ranks, "does", "do"), " before ",
                        numberText(job, ask.group, ask.seq));
  }
  std::string operator()(const AskThreads& ask) const {
    return absl::StrCat("what orders the threads that share ",
                        groupText(job, ask.group),
                        ", or give each of them a group of its own");
  }
  std::string operator()(const AskSplitSizes& ask) const {
    return absl::StrCat("how ", ranksVerb(ask.ranks, "computes", "compute"),
                        " its split sizes");
  }
  std::string operator()(const AskWhyCalled& ask) const {
    return absl::StrCat(
        "why ",
        ask.makes_it ? ranksVerb(ask.ranks, "makes", "make")
                     : ranksVerb(ask.ranks, "does not make", "do not make"),
        " the call at ", ask.site);
  }
};

struct MessagePhrases {
  const JobState& job;

  std::string operator()(const MessagesDiffer& fact) const {
    return absl::StrCat("Message ", messageText(job, fact.message),
                        ": sent as ", fact.sent, ", received as ",
                        fact.received, ".");
  }
  std::string operator()(const ReceiverOutOfStep& fact) const {
    switch (fact.shift) {
      case CallShift::kSwapped:
        return "The two messages follow each other: one side has them in the "
               "opposite order.";
      case CallShift::kExtra:
        return "From there on the receiver is one message behind, as after a "
               "receive too many or a send that was left out.";
      case CallShift::kLeftOut:
        return "From there on the receiver is one message ahead, as after a "
               "send too many or a receive that was left out.";
      case CallShift::kExtraOrLeftOut:
      case CallShift::kUnclear:
        return "Whether one side made a call too many, left one out, or made "
               "two in the opposite order, later calls do not show which.";
      case CallShift::kNone:
        break;
    }
    return "";
  }
  std::string operator()(const MessageFailed& fact) const {
    return absl::StrCat(fact.op, " ", messageText(job, fact.message),
                        " failed on rank ", fact.rank, ".");
  }
  std::string operator()(const MessageAlone& fact) const {
    const MessageAt& message = fact.message;
    const bool sent = fact.own == MessageAlone::Own::kSent;
    return absl::StrCat("Rank ", sent ? message.source : message.destination,
                        sent                                    ? " sent "
                        : fact.own == MessageAlone::Own::kWaits ? " waits for "
                                                                : " expects ",
                        "message ", messageText(job, message), ", which rank ",
                        sent ? message.destination : message.source,
                        sent ? " did not receive." : " did not send.");
  }
  std::string operator()(const BothInMessage& fact) const {
    return absl::StrCat("Rank ", fact.message.source, " sends and rank ",
                        fact.message.destination, " receives a message ",
                        messageText(job, fact.message), ": neither has ended.");
  }
  std::string operator()(const OneInMessage& fact) const {
    const MessageAt& message = fact.message;
    return absl::StrCat(
        "Rank ", fact.sends ? message.source : message.destination,
        " is inside a message ", messageText(job, message), ", and rank ",
        fact.sends ? message.destination : message.source,
        fact.has_dump ? " is not." : " has left no dump.");
  }
  std::string operator()(const WrongPeer& fact) const {
    return absl::StrCat(
        "Rank ", fact.sender, " sent to rank ", fact.sent_to, ", while rank ",
        fact.waits, " waits for a message from it: it took the wrong peer.");
  }
  std::string operator()(const SentOnlyToOther& fact) const {
    return absl::StrCat("It had sent to that one before, and never to rank ",
                        fact.killed, ", which was killed, perhaps long after.");
  }
  std::string operator()(const AskWholeTrace& ask) const {
    return absl::StrCat("to decide: the whole trace of ", ranksText(ask.ranks));
  }
  std::string operator()(const AskDump& ask) const {
    return absl::StrCat("to decide: the dump of rank ", ask.rank);
  }
};

}  // namespace

std::string phrase(const JobState& job, const CallFact& fact) {
  return std::visit(CallPhrases{job}, fact);
}

std::string phrase(const JobState& job, const MessageFact& fact) {
  return std::visit(MessagePhrases{job}, fact);
}

}  // namespace traced
