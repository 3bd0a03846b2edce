#include "cli/export/columns.h"

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace traced {
namespace {

using Kind = ColumnKind;

constexpr bool kRepeats = true;

// In the order of the tables in docs/tables.md.
constexpr ColumnInfo kColumnInfos[] = {
    // operations
    {"rank", Kind::kNumber, "global rank", "in `losses`, of the run", kRepeats},
    {"op_id", Kind::kNumber, "id of the operation in its rank's stream"},
    {"step", Kind::kNumber, "training step", "before the first mark", kRepeats},
    {"group_label", Kind::kText, "process group, as in `groups`", "unknown"},
    {"group_size", Kind::kNumber, "members of the group", "unknown", kRepeats},
    {"op", Kind::kText, "operation; in `matches` that of its first rank",
     "no operation"},
    {"seq", Kind::kNumber,
     "number of the operation in its group, of a message in its pair",
     "unknown"},
    {"batch", Kind::kNumber, "coalesced batch that the operation is part of",
     "in none"},
    {"dtype", Kind::kText, "dtype of the tensors; `mixed` where they differ",
     "no tensors, or unknown"},
    {"shapes_in", Kind::kText, "input shapes: `[1024,512]`, `3*[64] [2,64]`",
     "no tensors, or unknown"},
    {"shapes_out", Kind::kText, "output shapes", "no tensors, or unknown"},
    {"tensors_in", Kind::kNumber, "input tensors", "call unknown", kRepeats},
    {"tensors_out", Kind::kNumber, "output tensors", "call unknown", kRepeats},
    {"tensors_cut", Kind::kNumber,
     "tensors without a recorded shape; their bytes are counted",
     "call unknown", kRepeats},
    {"bytes_in", Kind::kBytes, "size of the inputs", "call unknown", kRepeats},
    {"bytes_out", Kind::kBytes, "size of the outputs", "call unknown",
     kRepeats},
    {"in_place", Kind::kFlag, "inputs and outputs share memory",
     "call unknown"},
    {"reduce_op", Kind::kText, "reduction", "none"},
    {"root_global", Kind::kNumber, "root, as a global rank", "none", kRepeats},
    {"peer_global", Kind::kNumber,
     "other rank of a message as the call names it, as a global rank",
     "no message, or a receive from any rank", kRepeats},
    {"source_rank", Kind::kNumber,
     "group rank that sent what a receive from any rank received",
     "no such receive, or it has not ended", kRepeats},
    {"tag", Kind::kNumber, "tag of a message", "none", kRepeats},
    {"async", Kind::kFlag, "the caller passed `async_op`", "not recorded"},
    {"timeout_ms", Kind::kNumber, "timeout in milliseconds", "not recorded",
     kRepeats},
    {"device", Kind::kText, "device type of the tensors", "not recorded"},
    {"device_index", Kind::kNumber, "device number", "not recorded", kRepeats},
    {"thread", Kind::kNumber, "id of the calling thread in the stream",
     "not recorded", kRepeats},
    {"thread_name", Kind::kText, "name of the calling thread", "not recorded"},
    {"issue_ns", Kind::kInstant, "start of the call", "unknown"},
    {"return_ns", Kind::kInstant, "return of the call",
     "it did not return, or that is lost"},
    {"start_ns", Kind::kInstant, "start on the device", "not observed"},
    {"end_ns", Kind::kInstant, "end of the operation", "no end observed"},
    {"end_source", Kind::kText, "what reported the end", "no end observed"},
    {"wait_begin_ns", Kind::kInstant, "start of the program's wait",
     "it did not wait, or that was not observed"},
    {"wait_end_ns", Kind::kInstant, "end of the program's wait",
     "no wait, or it did not end"},
    {"release_ns", Kind::kInstant,
     "the program dropped the operation without waiting",
     "it waited, or holds it"},
    {"host_ns", Kind::kTime, "from issue to return",
     "it did not return, or that is lost"},
    {"completion_ns", Kind::kTime, "from issue to end", "no end observed"},
    {"engine_ns", Kind::kTime, "from start to end", "not observed"},
    {"wait_ns", Kind::kTime, "length of the program's wait",
     "no wait, or it did not end"},
    {"stall_ns", Kind::kTime, "how long the wait blocked the device's stream",
     "not measured"},
    {"state", Kind::kText, "`issued`, `ended` or `failed`"},
    {"error", Kind::kText, "message of the failure", "no failure"},
    {"simulated", Kind::kFlag, "nothing was communicated", "call unknown"},
    {"annotations", Kind::kText, "[annotations](context.md), nested as `a / b`",
     "none"},
    {"module", Kind::kText, "module that issued it", "unknown"},
    {"module_type", Kind::kText, "class of the module", "unknown"},
    {"phase", Kind::kText, "`forward`, `backward`, `recompute`, `optimizer`",
     "unknown"},
    {"parent", Kind::kText, "object collective that issued it", "none"},
    {"parent_number", Kind::kNumber, "number of that call in the process",
     "none", kRepeats},
    {"parent_bytes", Kind::kBytes, "size of this rank's pickled object", "none",
     kRepeats},
    {"message_size", Kind::kBytes, "message size S as nccl-tests counts it",
     "no data, as of a barrier", kRepeats},
    {"correlation_id", Kind::kId,
     "the same on all ranks that share the operation",
     "no number, or a group that is not unique", kRepeats},
    {"site", Kind::kText, "line of the program that called it", "not recorded"},
    {"algorithm", Kind::kText, "NCCL's algorithm; `several` where it used more",
     "not reported"},
    {"protocol", Kind::kText, "NCCL's protocol", "not reported"},
    {"channels", Kind::kNumber, "NCCL's channels, at most", "not reported",
     kRepeats},
    {"ready_after_ns", Kind::kTime, "from issue until this rank was ready",
     "unknown"},
    {"start_after_ns", Kind::kTime, "from issue to the start on the device",
     "not observed"},
    {"end_bound", Kind::kText,
     "`exact`: it ended then; `told`: by then, usually shortly before; "
     "`seen`: by then, maybe long before",
     "no end observed"},
    // waits
    {"peer_rank", Kind::kNumber,
     "other rank of a message, also of a receive from any rank that ended",
     "no message, or unknown", kRepeats},
    {"slack_ns", Kind::kTime,
     "how long it had been over when the program began to wait", "it was not"},
    {"wait_for_peers_ns", Kind::kTime,
     "until the last rank that it depends on was ready",
     "[undecided](cli.md#what-the-figures-mean)"},
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
    {"clock", Kind::kText,
     "how its clock was aligned: `same_clock`, `collectives`, `wall_clock`"},
    {"closed", Kind::kFlag, "the trace was closed"},
    {"recovered", Kind::kFlag, "the trace was recovered from shared memory"},
    {"running", Kind::kFlag, "the process still runs"},
    {"end_known", Kind::kFlag, "the end of the trace is known"},
    {"lost", Kind::kFlag, "records are lost"},
    {"ended", Kind::kText, "[how the process ended](cli.md#diagnose)",
     "not observed"},
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
    {"verdict", Kind::kNumber, "number of the verdict; root causes come first"},
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

constexpr bool namesAreUnique() {
  for (std::size_t i = 0; i < std::size(kColumnInfos); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (std::string_view(kColumnInfos[i].name) == kColumnInfos[k].name)
        return false;
    }
  }
  return true;
}
static_assert(namesAreUnique());

}  // namespace

const char* nameOf(ColumnKind kind) {
  constexpr const char* kNames[] = {"number", "bytes", "instant", "time",
                                    "flag",   "text",  "id"};
  return kNames[static_cast<std::size_t>(kind)];
}

absl::Span<const ColumnInfo> allColumns() { return kColumnInfos; }

const ColumnInfo& columnInfo(const char* name) {
  for (const ColumnInfo& column : kColumnInfos) {
    if (std::string_view(column.name) == name) return column;
  }
  std::abort();
}

}  // namespace traced
