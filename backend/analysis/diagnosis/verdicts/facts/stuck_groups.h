// Facts about operations that are stuck, failed or were cut off.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

// The activity of a rank that others wait for.
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
  // The call that it is inside of, that failed, or that was its last.
  CallOn call{};
  // 0 if unknown.
  std::int64_t waited_ns = 0;
  bool cut_off = false;
  bool perhaps = false;
  // The end of its last operation could not have been observed.
  bool last_is_unseen = false;
  // Operations of some groups were not recorded.
  bool some_left_out = false;
};

// Ranks besides those at the beginning of a sentence.
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
  // 0 if unknown.
  std::int64_t waited_ns = 0;
  bool at_least = false;
};
// The missing ranks are a majority that ended without it.
struct OnlyTheseCalled {
  Ranks joined;
  CollectiveAt call;
  Ranks missing;
};
// The missing ranks were ended while the others were stuck.
struct CutOffBeforeJoining {
  Ranks missing;
  CollectiveAt call;
  // Empty if the others are not listed.
  OtherRanks waiting;
  bool perhaps = false;
  std::int64_t waited_ns = 0;
};
struct GroupAborted {
  std::uint32_t group = 0;
  CollectiveAt call;
  Ranks inside;
  // Empty if every rank is known to have joined it.
  Ranks missing;
};
struct GroupStopped {
  std::uint32_t rank = 0;
  // True if its engine gave up, false if the program aborted the group.
  bool gave_up = false;
  // Time since it issued the operation. A lower bound if `more_than`, because
  // only a later operation is known.
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
// How long before the end of the traces the last rank joined.
struct LastJoined {
  std::int64_t ago_ns = 0;
};
// Ranks that must have started the operation, because others ended it.
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
// Operations that are stuck only because of a verdict.
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

using StuckGroupFact =
    std::variant<DoesInstead, NotJoined, OnlyTheseCalled, CutOffBeforeJoining,
                 GroupAborted, GroupStopped, DidNotEnd, DiedInside,
                 SilentInside, CollectiveFailed, JoinedTooLate, CaughtFailure,
                 HangsIn, NoFurtherCall, LastJoined, StartedToo, EndNotObserved,
                 WaitNotRecorded, LeftNoDump, AlsoWaitedFor, AndMore,
                 InsideAndWaits, Deadlock, OnlyWaits, AskWhyAborted, AskFiles,
                 AskAllRecords, AskLogAndDump, AskCallOrder>;

}  // namespace traced
