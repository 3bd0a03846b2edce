// Facts about operations that stand still, failed or were cut off.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

// What a rank does that is waited for.
struct DoesInstead {
  enum class Doing : std::uint8_t {
    kInside,
    kHadFailed,
    kInNone,
    kNothingUnderWay,
    kCalledNothing,
  };
  enum class Process : std::uint8_t { kDumped, kLives, kUnknown, kEnded };

  std::uint32_t rank = 0;
  Doing doing = Doing::kCalledNothing;
  Process process = Process::kUnknown;
  // That it is inside of, that failed, or that was its last.
  CallOn call{};
  // 0: not known.
  std::int64_t waited_ns = 0;
  bool cut_off = false;
  bool perhaps = false;
  // Nobody would have seen the end of its last operation.
  bool last_is_unseen = false;
  // Operations of some groups were not recorded.
  bool some_left_out = false;
};

// Ranks, beside those that a sentence began with.
struct OtherRanks {
  Ranks ranks;
  // No further member has a trace.
  bool all = false;
};

struct NotJoined {
  enum class How : std::uint8_t { kNever, kNotYet, kLeftBefore };
  enum class Others : std::uint8_t { kWait, kMayWait, kCalledIt, kFailedIn };

  How how = How::kNever;
  Ranks ranks;
  CollectiveAt call;
  Others others_do = Others::kWait;
  OtherRanks others;
  // 0: not known.
  std::int64_t waited_ns = 0;
  bool at_least = false;
};
// The missing are a majority that ended without it.
struct OnlyTheseCalled {
  Ranks joined;
  CollectiveAt call;
  Ranks missing;
};
// The missing were ended while the others stood still.
struct CutOffBeforeJoining {
  Ranks missing;
  CollectiveAt call;
  // Empty: the others, whoever they are.
  OtherRanks waiting;
  bool perhaps = false;
  std::int64_t waited_ns = 0;
};
struct GroupAborted {
  std::uint32_t group = 0;
  CollectiveAt call;
  Ranks inside;
  // Empty: everybody had joined it, as far as is known.
  Ranks missing;
};
struct GroupStopped {
  std::uint32_t rank = 0;
  // Its engine; else the program aborted the group.
  bool gave_up = false;
  // Since it had issued the operation; it is more than that where only a later
  // one is known.
  std::optional<std::int64_t> after_ns;
  bool more_than = false;
  std::string why;
};
struct DidNotEnd {
  CollectiveAt call;
  Ranks inside;
};
struct DiedInside {
  Ranks ranks;
  CollectiveAt call;
};
struct SilentInside {
  Ranks ranks;
  CollectiveAt call;
};
struct CollectiveFailed {
  CollectiveAt call;
  Ranks ranks;
};
struct JoinedTooLate {
  Ranks ranks;
  std::int64_t late_ns = 0;
  CollectiveAt call;
  Ranks gave_up;
  std::int64_t waited_ns = 0;
};
struct CaughtFailure {
  Ranks ranks;
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
};
struct HangsIn {
  Ranks inside;
  CollectiveAt call;
  std::optional<std::int64_t> waited_ns;
  Ranks ended;
};
struct NoFurtherCall {
  Ranks ranks;
};
// Before the traces end.
struct LastJoined {
  std::int64_t ago_ns = 0;
};
// As others ended what all must have started.
struct StartedToo {
  Ranks ranks;
};
struct EndNotObserved {
  Ranks ranks;
};
struct WaitNotRecorded {
  Ranks ranks;
};
struct LeftNoDump {
  Ranks absent;
  Ranks inside;
  CollectiveAt call;
};
struct AlsoWaitedFor {
  Ranks ranks;
  OperationSubject in;
};
struct AndMore {
  std::size_t count = 0;
};
// One operation of a deadlock.
struct InsideAndWaits {
  Ranks inside;
  bool perhaps = false;
  OperationSubject in;
  Ranks missing;
};
struct Deadlock {
  Ranks ranks;
  std::size_t operations = 0;
};
// What stands still only because of a verdict.
struct OnlyWaits {
  std::size_t operations = 0;
  OperationSubject example;
  Ranks ranks;
  bool certain = true;
};

struct AskWhyAborted {
  Ranks ranks;
};
struct AskFiles {
  Ranks ranks;
};
struct AskAllRecords {
  Ranks ranks;
};
struct AskLogAndDump {
  Ranks ranks;
};
struct AskCallOrder {
  Ranks ranks;
};

using StandstillFact =
    std::variant<DoesInstead, NotJoined, OnlyTheseCalled, CutOffBeforeJoining,
                 GroupAborted, GroupStopped, DidNotEnd, DiedInside,
                 SilentInside, CollectiveFailed, JoinedTooLate, CaughtFailure,
                 HangsIn, NoFurtherCall, LastJoined, StartedToo, EndNotObserved,
                 WaitNotRecorded, LeftNoDump, AlsoWaitedFor, AndMore,
                 InsideAndWaits, Deadlock, OnlyWaits, AskWhyAborted, AskFiles,
                 AskAllRecords, AskLogAndDump, AskCallOrder>;

}  // namespace traced
