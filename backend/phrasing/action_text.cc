#include "phrasing/action_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace traced {

const char* whyText(ActionRule rule) {
  switch (rule) {
    case ActionRule::kGroupsDiffer:
      return "Ranks create groups in different orders, and a restart repeats "
             "that.";
    case ActionRule::kCallCycle:
      return "Ranks wait for each other's calls, and a restart repeats these "
             "calls.";
    case ActionRule::kCallsDiffer:
      return "Ranks make different calls, and a restart repeats them.";
    case ActionRule::kArgumentsDiffer:
      return "Ranks pass different arguments, and a restart repeats that.";
    case ActionRule::kMessagesDiffer:
      return "The sides of a message differ, and a restart repeats that.";
    case ActionRule::kCallOrder:
      return "A rank left the program's order, and a restart repeats that.";
    case ActionRule::kEndedInOrder:
      return "A rank ended in order before the others, and a restart repeats "
             "that.";
    case ActionRule::kException:
      return "The program raised an exception, probably also after a restart.";
    case ActionRule::kExitCode:
      return "The program exited with an error, probably also after a restart.";
    case ActionRule::kCallThrew:
      return "A call threw before it communicated, probably also after a "
             "restart.";
    case ActionRule::kNeverWaited:
      return "The program drops a Work that only a wait completes.";
    case ActionRule::kBufferInUse:
      return "The program uses the memory of an unfinished operation.";
    case ActionRule::kGradientsApart:
      return "The program never exchanges these gradients, also after a "
             "restart.";
    case ActionRule::kAbsentRank:
      return "A restart ends the hang, but why the rank does not join is "
             "unknown, so the hang may return.";
    case ActionRule::kHungTogether:
      return "All members joined and none ends, and a restart reconnects "
             "them.";
    case ActionRule::kOperationFailed:
      return "An operation failed for an unknown reason, and a restart "
             "reconnects the ranks.";
    case ActionRule::kKilled:
      return "A signal ended a process, and the others need it.";
    case ActionRule::kOutOfMemory:
      return "The kernel ended a process for lack of memory, which may happen "
             "again, and the others need it.";
    case ActionRule::kCrashed:
      return "A process crashed, which may happen again, and the others need "
             "it.";
    case ActionRule::kDied:
      return "A process disappeared, and the others need it.";
    case ActionRule::kHardwareError:
      return "The driver reported an uncorrectable error of a GPU or its "
             "links.";
    case ActionRule::kHealthy:
      return "Nothing is wrong.";
    case ActionRule::kEndUnknown:
      return "How some ranks ended is unknown.";
    case ActionRule::kUndecided:
      return "The records do not show the cause.";
    case ActionRule::kEndedFromOutside:
      return "Something outside the job ended it, perhaps on purpose.";
    case ActionRule::kProgramAborted:
      return "The program aborted the group itself, perhaps to recover.";
    case ActionRule::kDataChanged:
      return "The records do not show whether memory, a device, the network or "
             "the program changed the data.";
    case ActionRule::kNanComputed:
      return "The records show where NaN began, not whether the data, the "
             "program or the hardware made it.";
    case ActionRule::kRangeTooSmall:
      return "The records show how large the numbers are, not what made them "
             "so "
             "large.";
    case ActionRule::kCopiesDiffer:
      return "The records show which copies differ, not whether the program or "
             "the hardware changed one.";
    case ActionRule::kSlowLink:
      return "The records do not show whether the network, a host or the "
             "program is slow.";
    case ActionRule::kSlowRank:
      return "The records do not show whether the host or the program is "
             "slow.";
    case ActionRule::kLateOnce:
      return "The rank was late once, and the job continued.";
    case ActionRule::kOnlyObserved:
      return "Ranks wait, and only `tracectl diagnose` finds the reason.";
  }
  return "";
}

namespace {

bool isPlain(const std::string& host) {
  return !host.empty() && host.front() != '-' &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '.' || c == '_' || c == '-';
         });
}

}  // namespace

std::string actionLine(const RecommendedAction& action) {
  std::vector<std::string> hosts = action.hosts;
  std::erase_if(hosts, [](const std::string& host) { return !isPlain(host); });
  return absl::StrCat(nameOf(action.action()), " ", nameOf(action.confidence),
                      " ranks=", absl::StrJoin(action.ranks, ","),
                      " hosts=", absl::StrJoin(hosts, ","),
                      " pids=", absl::StrJoin(action.pids, ","),
                      " rule=", traitsOf(action.rule).name);
}

}  // namespace traced
