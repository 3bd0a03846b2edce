// Defines the records in the ring as plain structs.
//
// A record is a kind and a payload. Events of operations fit into one slot.
// Definitions, which have a variable tail, and samples may take several. An
// operation's id is the ring position of its issue record, which is unique in a
// stream. trace.proto documents the fields of the rows, which have equal names.

#pragma once

#include <cstdint>

#include "trace_io/row.h"

namespace traced {

using OpId = std::uint64_t;
// The issue was not recorded. Later events of the operation are counted as
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
  kFunction = 19,
  kThreadSample = 20,
  kHash = 21,
  kStatistics = 22,
  kReplica = 23,
};

// How the end of an operation was observed. Equals EndSource in trace.proto.
enum class EndSource : std::uint8_t {
  kHostCall = 1,
  kFuture = 2,
  kDeviceEvent = 3,
  kWait = 4,
  kCompletionHook = 5,
  kDeviceWait = 6,
};

enum class Outcome : std::uint8_t { kOk = 0, kThrew = 1, kFalse = 2 };

// The call entered the backend. The record's position is the operation's id.
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

// A second wait record of an operation only adds the stall.
struct WaitRecord {
  OpId op;
  std::int64_t begin_ns;
  std::uint64_t wait_ns;
  std::uint64_t stall_ns_plus_1;
  std::uint32_t error;
  std::uint32_t source_rank_plus_1;
  Outcome outcome;
  bool saw_end;
  bool by_future = false;
};

// A return and the wait that followed at once. The record becomes two rows.
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

// Only for a Work that the program never waited for.
using ReleaseRecord = ReleaseRow;

// How the communication library executes the operation. Ids of texts; 0:
// unknown.
using MethodRecord = MethodRow;

// Equals MarkKind in trace.proto.
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

// Returns whether a mark's value is the id of a group.
constexpr bool isAboutGroup(MarkKind kind) {
  return kind == MarkKind::kAbort || kind == MarkKind::kShutdownFailed ||
         kind == MarkKind::kEngineFailed;
}

// An event between operations. The record's position gives the order.
struct MarkRecord {
  std::int64_t mark_ns;
  std::uint64_t value;
  MarkKind kind;
  std::uint32_t text = 0;
};

// Each X(kind, Record) is a kind of record that becomes rows of the trace.
#define TRACED_ROW_RECORDS(X)       \
  X(kIssue, IssueRecord)            \
  X(kReturn, ReturnRecord)          \
  X(kDone, DoneRecord)              \
  X(kWait, WaitRecord)              \
  X(kRelease, ReleaseRecord)        \
  X(kMethod, MethodRecord)          \
  X(kMark, MarkRecord)              \
  X(kResources, ResourceRow)        \
  X(kFunction, FunctionRow)         \
  X(kThreadSample, ThreadSampleRow) \
  X(kHash, HashRow)                 \
  X(kStatistics, StatisticsRow)     \
  X(kReplica, ReplicaRow)

// Returns the number of rows that a record becomes; losses are counted in rows.
// 0: the record is a definition.
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

// Precedes the content of every definition.
struct DefinitionHead {
  std::uint32_t id;
  // The DefinitionCache entry that holds the definition, or one of the two
  // constants below. The id becomes unused when the entry gets another
  // definition.
  std::uint32_t cache_entry;
};

// Used by one operation only.
inline constexpr std::uint32_t kNotCached = ~std::uint32_t{0};
// Used until a record retires the id.
inline constexpr std::uint32_t kUntilRetired = kNotCached - 1;

}  // namespace traced
