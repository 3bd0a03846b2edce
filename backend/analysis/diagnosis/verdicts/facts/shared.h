// Facts that several rules find, and the parts of which facts are made.

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
  // nullptr where the call site is not known.
  std::shared_ptr<const CallSite> place{};
};

// An operation that stands still; a message in dumps has no number.
struct OperationSubject {
  std::string op;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair{};
};

// A message, by its number; 0: it has none.
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
  // Of what stands still.
  kCutOffTooSoonToJudge,
  kAllWereEnded,
  kEndedByItself,
  kLivingProcessDumps,
  kOrderIsUnknown,
  kAskNetworkOfMembers,
  // Of call sites.
  kNoLaterCall,
  kNobodyElseCalledIt,
  // Of messages.
  kSomeInBatches,
  kAskBothSides,
  kAskNetworkOfTwo,
  // Of endings.
  kSignalSenderUnknown,
  kAskLogsOfSystem,
  kAskDumpOfSilentRank,
  kAskWaitForWork,
  kAskWaitBetween,
  // Of times.
  kExactOnOneClock,
  kSeveralClocks,
  kTenTimesUsual,
  kAtLeastThat,
  kComparedOnHost,
  kMayWaitForSlowPart,
  kQuickWithOthers,
  kWhichIsUnknown,
  // Of groups.
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
  // "": not recorded.
  std::string error;
};
struct BeganInStep {
  std::uint64_t step = 0;
};
struct CalledAt {
  Ranks ranks;
  std::shared_ptr<const CallSite> place;
};
// These were handling an exception when they made the call.
struct WasHandling {
  Ranks ranks;
  std::string exception;
};
// How a backend carries operations out is not known.
struct UnknownEngine {
  std::string backend;
};

// What to look at.
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
