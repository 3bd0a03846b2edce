#include "cli/export/columns.h"

#include <charconv>
#include <cstddef>
#include <string_view>

#include "analysis/stream/observed_end.h"
#include "cli/export/operation_columns.h"

namespace traced {
namespace {

using Kind = ColumnKind;

constexpr char kNotSeen[] = "not observed";
constexpr char kNoIssuer[] =
    "no such thread, more than 512 threads, or not observed";
constexpr char kManyThreads[] =
    "some ended, more than 512 threads, or not observed";
constexpr char kNoGpu[] = "no GPU, or NVML does not report it";
constexpr char kNoHash[] = "row of statistics, or skipped";
constexpr char kNoStatistics[] = "row of a hash, or skipped";
constexpr char kNoFinite[] = "no finite element, row of a hash, or skipped";
constexpr char kNoTimes[] = "from dumps; step without a known end";

// The columns that the table "operations" does not have.
constexpr ColumnInfo kColumnInfos[] = {
    // waits
    {"peer_rank", Kind::kNumber,
     "other rank of a message, also of a receive from any rank that ended",
     "no message, or unknown", kRepeats},
    {"slack_ns", Kind::kTime,
     "how long the operation had been finished when the program began to wait",
     "it was not"},
    {"wait_for_peers_ns", Kind::kTime,
     "until the last rank that it depends on was ready",
     "[undecided](columns.md#wait-for-peers-and-transfer)"},
    {"wait_for_peers_within_ns", Kind::kTime, "error of `wait_for_peers_ns`",
     "undecided"},
    {"transfer_ns", Kind::kTime,
     "from then to the end; an upper bound unless `end_bound` is `exact`",
     "undecided"},
    {"transfer_within_ns", Kind::kTime,
     "error of `transfer_ns` that the clocks allow", "undecided"},
    // matches
    {"src", Kind::kNumber, "sender of a message", "no message", kRepeats},
    {"dst", Kind::kNumber, "receiver of a message", "no message", kRepeats},
    {"issued_ranks", Kind::kNumber, "how many ranks issued it", "", kRepeats},
    {"ended_ranks", Kind::kNumber, "on how many an end was observed", "",
     kRepeats},
    {"failed_ranks", Kind::kNumber, "on how many it failed", "", kRepeats},
    {"simulated_ranks", Kind::kNumber, "how many only simulated it", "",
     kRepeats},
    {"late_ends", Kind::kNumber, "ends that are not `exact` but bounds", "",
     kRepeats},
    {"first_issue_ns", Kind::kInstant, "first issue"},
    {"last_issue_ns", Kind::kInstant, "last issue"},
    {"last_issue_rank", Kind::kNumber, "rank that issued it last", "",
     kRepeats},
    {"first_end_ns", Kind::kInstant, "first end", "no end observed"},
    {"last_end_ns", Kind::kInstant, "last end", "no end observed"},
    {"last_rank", Kind::kNumber, "rank that was certainly ready last",
     "not certain", kRepeats},
    {"seems_last_rank", Kind::kNumber, "rank that was ready last by the clocks",
     "some rank's readiness is unknown, or not all ranks wait for all",
     kRepeats},
    {"behind_ns", Kind::kTime,
     "how much later that rank was than the one before it",
     "as `seems_last_rank`"},
    // ranks
    {"world_size", Kind::kNumber, "ranks of the job"},
    {"host", Kind::kText, "host name", "not recorded"},
    {"node", Kind::kText, "node name", "not recorded"},
    {"pid", Kind::kNumber, "process id", "not recorded"},
    {"torch_version", Kind::kText, "version of torch", "not recorded"},
    {"operations", Kind::kNumber,
     "recorded operations, without simulated ones"},
    {"simulated_operations", Kind::kNumber, "simulated operations"},
    {"not_recorded", Kind::kNumber, "operations outside `TRACED_SCOPE`"},
    {"switched_off_ns", Kind::kTime, "how long tracing was switched off"},
    {"last_ns", Kind::kInstant, "last record", "no record"},
    {"run_ns", Kind::kTime,
     "from the start of the recording to the last record"},
    {"rank_time_ns", Kind::kTime,
     "from first to last operation: shares refer to it"},
    {"exposed_wait_for_peers_ns", Kind::kTime,
     "blocked until the last rank was ready; each instant of a rank counts in "
     "one of this and the next six columns, whose sum is `rank_time_ns` or "
     "`took_ns`",
     kNoTimes},
    {"exposed_transfer_ns", Kind::kTime, "blocked from then to the end",
     kNoTimes},
    {"undecided_ns", Kind::kTime, "blocked, for one of these two", kNoTimes},
    {"calls_ns", Kind::kTime, "in calls, without a wait", kNoTimes},
    {"may_wait_ns", Kind::kTime,
     "waiting without a record, or computing; includes gaps in the record",
     kNoTimes},
    {"hidden_ns", Kind::kTime, "computing while operations were in flight",
     kNoTimes},
    {"computing_ns", Kind::kTime, "the rest: outside communication", kNoTimes},
    {"uncertain_ns", Kind::kTime, "error in the division between the first two",
     kNoTimes},
    {"clock", Kind::kText,
     "how its clock was aligned: `same_clock`, `collectives`, `wall_clock`"},
    {"closed", Kind::kFlag, "the trace was closed"},
    {"recovered", Kind::kFlag, "the trace was recovered from shared memory"},
    {"running", Kind::kFlag, "the process still runs"},
    {"end_known", Kind::kFlag, "the end of the trace is known"},
    {"lost", Kind::kFlag, "records are lost"},
    {"ended", Kind::kText,
     "[how the process ended](json.md#how-a-process-ended)", "not observed"},
    {"exit_code", Kind::kNumber, "exit code of the process", "not observed"},
    {"signal", Kind::kText, "signal that ended it", "none, or not observed"},
    {"oom_killed", Kind::kFlag, "the out-of-memory killer ended it"},
    {"exception", Kind::kText, "exception that ended it",
     "none, or not observed"},
    {"raised_ns", Kind::kInstant, "when it was raised",
     "none, or not observed"},
    // steps
    {"step_begin_ns", Kind::kInstant, "mark of the step"},
    {"step_end_ns", Kind::kInstant, "mark of the next step",
     "last step of the rank"},
    {"took_ns", Kind::kTime, "length of the step", "last step of the rank"},
    // resources
    {"sample_ns", Kind::kInstant, "when the sample was taken"},
    {"interval_ns", Kind::kTime,
     "time since the sample before, or since the recording began: the other "
     "figures are of that time"},
    {"cpu_ns", Kind::kTime, "processor time of all threads"},
    {"main_cpu_ns", Kind::kTime, "processor time of the main thread", kNotSeen},
    {"run_delay_ns", Kind::kTime,
     "time that the main thread was runnable without a processor", kNotSeen},
    {"issuer_delay_ns", Kind::kTime,
     "the same, of the other thread that issued operations and waited longest",
     kNoIssuer},
    {"other_delay_ns", Kind::kTime, "the same, the sum of all other threads",
     kManyThreads},
    {"blocked_ns", Kind::kTime,
     "time that the main thread slept uninterruptibly in system calls, as it "
     "does for storage; estimated from 20 looks per second",
     kNotSeen},
    {"paging_ns", Kind::kTime,
     "time that the main thread slept uninterruptibly in page faults",
     kNotSeen},
    {"major_faults", Kind::kNumber, "page faults that read from a disk"},
    {"read_bytes", Kind::kBytes, "read from storage", kNotSeen},
    {"written_bytes", Kind::kBytes, "written to storage", kNotSeen},
    {"voluntary_switches", Kind::kNumber,
     "how often a thread gave up its processor to wait"},
    {"involuntary_switches", Kind::kNumber,
     "how often a processor was taken from a thread that could go on"},
    {"throttled_ns", Kind::kTime,
     "time that its cgroup, or one above it, was held to its limit of "
     "processor time; sum of all processors",
     kNotSeen},
    {"cpu_pressure_ns", Kind::kTime,
     "time that some task of the host waited for a processor (PSI)", kNotSeen},
    {"io_pressure_ns", Kind::kTime, "the same, for storage", kNotSeen},
    {"memory_pressure_ns", Kind::kTime, "the same, for memory", kNotSeen},
    {"collections", Kind::kNumber, "garbage collections of Python"},
    {"collecting_ns", Kind::kTime, "time in them", kNotSeen},
    {"batches", Kind::kNumber,
     "how often the main thread asked a `DataLoader` for a batch or an "
     "iterator"},
    {"loading_ns", Kind::kTime, "time until it got them", kNotSeen},
    {"sm_clock_mhz", Kind::kNumber,
     "latest clock of the multiprocessors of its GPU (NVML)", kNoGpu},
    {"max_sm_clock_mhz", Kind::kNumber, "their highest clock", kNoGpu},
    {"memory_clock_mhz", Kind::kNumber, "clock of the GPU's memory", kNoGpu},
    {"throttle_reasons", Kind::kNumber,
     "why the clocks are low: bits of `nvmlClocksEventReasons`", kNoGpu},
    {"temperature", Kind::kNumber, "of the GPU, in degrees Celsius", kNoGpu},
    {"ecc_errors", Kind::kNumber,
     "uncorrected ECC errors since the driver was loaded", kNoGpu},
    {"xid", Kind::kNumber, "latest critical XID error of the GPU", "none"},
    // values
    {"examined_at", Kind::kText,
     "`issue`: an input, before the call was forwarded; `input_end`: an input, "
     "after the operation; `end`: an output, after it"},
    {"tensor", Kind::kNumber, "number of the tensor on its side of the call"},
    {"skipped", Kind::kText,
     "[why it was not examined](values.md#what-is-not-examined)",
     "it was examined"},
    {"part_rank", Kind::kNumber,
     "rank that this part of the tensor goes to or comes from",
     "all members, or the root or the peer of the operation"},
    {"part_bytes", Kind::kBytes, "size of the part", kNoHash},
    {"hash", Kind::kId, "[hash](values.md#hashes) of the part", kNoHash},
    {"elements", Kind::kNumber, "number of elements", kNoStatistics},
    {"nan", Kind::kNumber, "elements that are NaN", kNoStatistics},
    {"infinite", Kind::kNumber, "infinite elements", kNoStatistics},
    {"zero", Kind::kNumber, "elements that are 0", kNoStatistics},
    {"subnormal", Kind::kNumber,
     "elements below the smallest normal number of their type", kNoStatistics},
    {"saturated", Kind::kNumber,
     "elements equal to the largest number of their type", kNoStatistics},
    {"minimum", Kind::kReal, "smallest finite element", kNoFinite},
    {"maximum", Kind::kReal, "largest finite element", kNoFinite},
    {"absolute_maximum", Kind::kReal, "largest absolute value of them",
     kNoFinite},
    {"mean", Kind::kReal, "mean of the finite elements", kNoFinite},
    {"norm", Kind::kReal, "their L2 norm", kNoFinite},
    // losses
    {"what", Kind::kText,
     "`dropped` while recording, `missing`, `gaps`, `refused`, `skipped`, "
     "`broken`, `overlapping`, `refused_groups`, `not_in_dump`, "
     "`end_unknown`; of the run `input`, `selection`, `clock`, "
     "`absent_ranks`, `unusable`"},
    {"amount", Kind::kNumber, "how much", "unknown"},
    {"unit", Kind::kText, "`records`, `bytes`, `chunks`, `gaps`, `groups`",
     "no amount"},
    {"detail", Kind::kText, "reason of `dropped`, or a sentence", "none"},
    // groups
    {"name", Kind::kText, "name in torch", "none"},
    {"description", Kind::kText, "`group_desc` in torch", "none"},
    {"backend", Kind::kText, "backend", "unknown"},
    {"leg", Kind::kText, "device type", "unknown"},
    {"nth", Kind::kNumber, "number among groups with the same members"},
    {"members", Kind::kText, "global ranks: `0-7`", "unknown"},
    {"left_out", Kind::kFlag, "some rank did not record all of it"},
    // verdicts and verdict_ranks
    {"verdict", Kind::kNumber, "number of the verdict; root causes first"},
    {"kind", Kind::kText, "[kind](diagnosis.md)"},
    {"confidence", Kind::kText, "lower of the two that follow"},
    {"finding_confidence", Kind::kText, "confidence that it happened"},
    {"culprit_confidence", Kind::kText, "confidence in the culprits"},
    {"culprits", Kind::kText, "ranks that caused it: `0,3`", "none"},
    {"ranks", Kind::kText, "ranks that it is about: `0,3`", "none"},
    {"since_ns", Kind::kInstant, "when it began", "unknown"},
    {"waited_ns", Kind::kTime, "how long ranks waited", "nobody, or unknown"},
    {"summary", Kind::kText, "one sentence"},
    {"evidence", Kind::kText, "evidence, a line each", "none"},
    {"consequence", Kind::kText, "what followed from it", "none"},
    {"advice", Kind::kText, "advice, a line each", "none"},
    {"is_culprit", Kind::kFlag, "whether the rank is a culprit"},
};

}  // namespace

const char* nameOf(ColumnKind kind) {
  constexpr const char* kNames[] = {"number", "bytes", "instant", "time",
                                    "flag",   "text",  "real",    "id"};
  return kNames[static_cast<std::size_t>(kind)];
}

absl::Span<const ColumnInfo> otherColumns() { return kColumnInfos; }

const ColumnInfo& columnInfo(const char* name) {
  for (const ColumnInfo& column : kColumnInfos) {
    if (std::string_view(column.name) == name) return column;
  }
  return operationColumn(name);
}

ExportedCall exportedCall(const StreamTable& table,
                          const AssembledOperation& op,
                          const GroupCatalog& groups,
                          const std::vector<std::uint32_t>& indices,
                          const std::vector<std::uint64_t>& hashes,
                          const ClockCursor& clock, Instant ready) {
  const v1::Call* const call = table.callOf(op);
  const std::uint32_t local =
      call ? table.groupOf(*call) : StreamDefinitions::kNone;
  if (local == StreamDefinitions::kNone) {
    const std::string& none = groups.label(GroupCatalog::kNone);
    return {table, op, call, none, 0, 0, clock, ready};
  }
  const GroupDefinition& group = table.definitions.groups()[local];
  return {table,
          op,
          call,
          groups.label(indices[local]),
          group.members.size(),
          hashes[local],
          clock,
          ready};
}

char* writeDigits(char* to, const ExportNumber& number) {
  constexpr std::ptrdiff_t kMax = 20;
  switch (number.kind) {
    case ExportNumber::Kind::kAbsent:
      return to;
    case ExportNumber::Kind::kCount:
      return std::to_chars(to, to + kMax, number.value).ptr;
    case ExportNumber::Kind::kInstant:
      return std::to_chars(to, to + kMax,
                           static_cast<std::int64_t>(number.value))
          .ptr;
    case ExportNumber::Kind::kId:
      break;
  }
  for (int shift = 60; shift >= 0; shift -= 4) {
    *to++ = "0123456789abcdef"[(number.value >> shift) % 16];
  }
  return to;
}

std::uint32_t idOfSource(FieldSource source, const ExportedCall& call) {
  switch (source) {
    case FieldSource::kCall:
      return call.op.call;
    case FieldSource::kContext:
      return call.op.context;
    case FieldSource::kStack:
      return call.op.stack;
    case FieldSource::kThread:
      return call.op.thread;
    case FieldSource::kState:
      return static_cast<std::uint32_t>(call.op.state());
    case FieldSource::kEndSource:
      return static_cast<std::uint32_t>(call.op.end_source);
    case FieldSource::kEndBound:
      return call.op.ended.known()
                 ? 1 + static_cast<std::uint32_t>(endBoundOf(call.op))
                 : 0;
    case FieldSource::kError:
      return call.op.error;
    case FieldSource::kAlgorithm:
      return call.op.algorithm;
    case FieldSource::kProtocol:
      return call.op.protocol;
    case FieldSource::kStream:
    case FieldSource::kOperation:
      break;
  }
  return 0;
}

}  // namespace traced
