// Facts that several rules use, and the parts of facts.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace traced {

struct CallSite;

using Ranks = std::vector<std::uint32_t>;

// A collective: all_reduce #7 of "dp".
struct CollectiveAt {
  std::string op;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
};

// An operation as one rank called it: recv #3 from rank 1 on "pp".
struct CallOn {
  std::string op;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair{};
  // nullptr if the call site is unknown.
  std::shared_ptr<const CallSite> place{};
};

// A stuck operation. A message in dumps has no number.
struct OperationSubject {
  std::string op;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair{};
};

// A message. `seq` is 0 if it has no number.
struct MessageAt {
  std::uint32_t group = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t seq = 0;
};

// Sentences without parameters.
enum class PlainFact : std::uint8_t {
  kTwoCannotOutvote,
  kMayBeOfTwoRuns,
  // About stuck operations.
  kCutOffTooSoonToJudge,
  kAllWereEnded,
  kMayBeInUnrecorded,
  kEndedByItself,
  kLivingProcessDumps,
  kOrderIsUnknown,
  kAskNetworkOfMembers,
  // About call sites.
  kNoLaterCall,
  kNobodyElseCalledIt,
  // About messages.
  kSomeInBatches,
  kAskBothSides,
  kAskNetworkOfTwo,
  // About endings.
  kSignalSenderUnknown,
  kAskLogsOfSystem,
  kAskDumpOfSilentRank,
  kAskWaitForWork,
  kAskWaitBetween,
  // About the content of tensors.
  kAskWaitBeforeChange,
  kAskWhatChangedData,
  kMayHaveWritten,
  kNoNanReceived,
  kNotAllExamined,
  kAskWhatMadeNan,
  kAskMagnitudes,
  kCopiesAssumed,
  kStepsUnknown,
  kAskSynchronisation,
  // About times.
  kExactOnOneClock,
  kSeveralClocks,
  kTenTimesUsual,
  kAtLeastThat,
  kComparedOnHost,
  kMayWaitForSlowPart,
  kQuickWithOthers,
  kWhichIsUnknown,
  // About gradients.
  kAskGradientNorms,
  // About groups.
  kMetByName,
  kAskNewGroups,
};

struct NoTrace {
  Ranks ranks;
};
// The trace of a rank lost records.
struct LostRecords {
  std::uint32_t rank = 0;
};
struct FailedWith {
  Ranks ranks;
  // Empty if not recorded.
  std::string error;
};
struct BeganInStep {
  std::uint64_t step = 0;
};
struct CalledAt {
  Ranks ranks;
  std::shared_ptr<const CallSite> place;
};
// Ranks that were handling an exception when they made the call.
struct WasHandling {
  Ranks ranks;
  std::string exception;
};
// The backend's execution order is unknown.
struct UnknownEngine {
  std::string backend;
};

// Advice on what to check.
struct AskLog {
  Ranks ranks;
};
struct AskWhere {
  Ranks ranks;
};

using SharedFact =
    std::variant<NoTrace, LostRecords, FailedWith, BeganInStep, CalledAt,
                 WasHandling, UnknownEngine, AskLog, AskWhere>;

}  // namespace traced
