// The records that travel through the ring, as plain structs.
//
// A record is a kind and a payload. The events of operations fit into one slot;
// definitions carry a variable tail and may take several, as samples do. An
// operation is named by the ring position of its issue record, which is unique
// in a stream.

#pragma once

#include <cstdint>

#include "trace_io/row.h"

namespace traced {

using OpId = std::uint64_t;
// The issue could not be recorded: later events of the operation are counted as
// dropped.
inline constexpr OpId kLostOp = ~OpId{0};

enum class RecordKind : std::uint8_t {
  kIssue = 1,
  kReturn = 2,
  kDone = 3,
  kWait = 4,
  kRelease = 5,
  kDefineCall = 6,
  kDefineBuffers = 7,
  kDefineText = 8,
  kDefineThread = 9,
  kDefineGroup = 10,
  kRetireGroup = 11,
  kMark = 12,
  kDefineContext = 13,
  kDefineStack = 14,
  kRetireThread = 15,
  kMethod = 16,
  kReturnAndWait = 17,
  kResources = 18,
};

// How an operation's end was observed; the numbers of EndSource in trace.proto.
enum class EndSource : std::uint8_t {
  kHostCall = 1,
  kFuture = 2,
  kDeviceEvent = 3,
  kWait = 4,
  kCompletionHook = 5,
  kDeviceWait = 6,
};

enum class Outcome : std::uint8_t { kOk = 0, kThrew = 1, kFalse = 2 };

// The call entered the backend. Its own position is the operation's id.
struct IssueRecord {
  std::int64_t issue_ns;
  std::uint64_t seq;
  std::uint64_t batch;
  std::uint32_t call;
  std::uint32_t buffers;
  std::uint32_t thread;
  std::uint32_t context = 0;
  std::uint32_t stack = 0;
};

struct ReturnRecord {
  OpId op;
  std::int64_t return_ns;
  std::uint32_t error;
  Outcome outcome;
};

struct DoneRecord {
  OpId op;
  std::int64_t end_ns;
  std::uint64_t engine_ns_plus_1;
  std::uint32_t error;
  EndSource source;
  Outcome outcome;
};

// A second one of an operation only adds what the first did not know: the
// stall.
struct WaitRecord {
  OpId op;
  std::int64_t begin_ns;
  std::uint64_t wait_ns;
  std::uint64_t stall_ns_plus_1;
  std::uint32_t error;
  std::uint32_t source_rank_plus_1;
  Outcome outcome;
  bool saw_end;
};

// A return, and the wait that followed at once: two rows in one record.
struct ReturnAndWaitRecord {
  OpId op;
  std::int64_t return_ns;
  std::int64_t begin_ns;
  std::uint64_t wait_ns;
  std::uint32_t error;
  std::uint32_t source_rank_plus_1;
  Outcome outcome;
  bool saw_end;

  ReturnRecord returned() const { return {op, return_ns, 0, Outcome::kOk}; }
  WaitRecord waited() const {
    return {op,    begin_ns,           wait_ns, 0,
            error, source_rank_plus_1, outcome, saw_end};
  }
};

// Only of a Work that nobody waited for.
using ReleaseRecord = ReleaseRow;

// How the communication library carries it out: ids of texts, 0: not said.
using MethodRecord = MethodRow;

// The numbers of MarkKind in trace.proto.
enum class MarkKind : std::uint8_t {
  kStep = 1,
  kDisabled = 2,
  kEnabled = 3,
  kFlush = 4,
  kFailure = 5,
  kAbort = 6,
  kShutdownFailed = 7,
  kDeviceClock = 8,
  kDeviceUntimed = 9,
  kUnfinished = 10,
  kUndecided = 11,
  kLate = 12,
  kException = 13,
  kNoStep = 14,
  kEngineFailed = 15,
  kSettings = 16,
};

// Whether its value is the id of a group.
constexpr bool isAboutGroup(MarkKind kind) {
  return kind == MarkKind::kAbort || kind == MarkKind::kShutdownFailed ||
         kind == MarkKind::kEngineFailed;
}

// Something that stands between operations. Its own position says where.
struct MarkRecord {
  std::int64_t mark_ns;
  std::uint64_t value;
  MarkKind kind;
  std::uint32_t text = 0;
};

// Each X(kind, Record) is a record that becomes a row of the trace, or is one.
#define TRACED_ROW_RECORDS(X) \
  X(kIssue, IssueRecord)      \
  X(kReturn, ReturnRecord)    \
  X(kDone, DoneRecord)        \
  X(kWait, WaitRecord)        \
  X(kRelease, ReleaseRecord)  \
  X(kMethod, MethodRecord)    \
  X(kMark, MarkRecord)        \
  X(kResources, ResourceRow)

// Returns how many rows a record becomes, by which losses are counted; 0: it is
// a definition.
constexpr std::uint64_t rowsOf(RecordKind kind) {
  switch (kind) {
#define TRACED_CASE(its_kind, Record) case RecordKind::its_kind:
    TRACED_ROW_RECORDS(TRACED_CASE)
#undef TRACED_CASE
    return 1;
    case RecordKind::kReturnAndWait:
      return 2;
    default:
      return 0;
  }
}

// Head of every definition; the content follows.
struct DefinitionHead {
  std::uint32_t id;
  // Which entry of a DefinitionCache holds it: when the entry is given to
  // another definition, this id is used no more. Or one of the two below.
  std::uint32_t cache_entry;
};

// Used by one operation only.
inline constexpr std::uint32_t kNotCached = ~std::uint32_t{0};
// Used until it is retired by name.
inline constexpr std::uint32_t kUntilRetired = kNotCached - 1;

}  // namespace traced
