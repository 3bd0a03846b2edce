#include "cli/export/operation_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "analysis/match/match.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/export/operation_facts.h"
#include "trace_io/call_text.h"
#include "trace_io/correlation.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

using Row = const ExportedCall&;
using Value = CellValue;
using Number = ExportNumber;
using Kind = ColumnKind;

Value minus1(std::uint64_t plus_1) {
  return plus_1 == 0 ? Value() : Value(plus_1 - 1);
}
Number count(std::uint64_t value) { return {Number::Kind::kCount, value}; }
Number numberUnlessZero(std::uint64_t value) {
  return value == 0 ? Number() : count(value);
}
Number countMinus1(std::uint64_t plus_1) {
  return plus_1 == 0 ? Number() : count(plus_1 - 1);
}
Number optional(const std::optional<std::uint64_t>& value) {
  return value ? count(*value) : Number();
}
// Returns an instant on the common time line.
Number instant(Row row, Instant at) {
  if (!at.known()) return {};
  return {Number::Kind::kInstant,
          static_cast<std::uint64_t>(row.clock.commonNs(at.ns()))};
}
template <Instant OperationProgress::*kAt>
Number at(Row row) {
  return instant(row, row.op.*kAt);
}
template <Instant OperationProgress::*kFrom, Instant OperationProgress::*kTo>
// Returns the nanoseconds between two instants on the rank's own clock.
Number lasted(Row row) {
  return optional(between(row.op.*kFrom, row.op.*kTo));
}

template <typename T>
Value widened(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_signed_v<T>) {
    return std::int64_t{value};
  } else {
    return std::uint64_t{value};
  }
}
// Returns a field of the call; absent if the call is unknown.
template <auto kGet>
Value ofCall(Row row) {
  return row.call ? widened((row.call->*kGet)()) : Value();
}
template <auto kHas, auto kGet>
Value ofCallIf(Row row) {
  return row.call && (row.call->*kHas)() ? ofCall<kGet>(row) : Value();
}
template <auto kGet>
Value ofCallMinus1(Row row) {
  return row.call ? minus1((row.call->*kGet)()) : Value();
}
// Returns the name of an enum value.
template <auto kGet>
Value nameOfCall(Row row) {
  const auto value =
      row.call ? (row.call->*kGet)() : decltype((row.call->*kGet)()){};
  return value ? Value(nameOf(value)) : Value();
}
template <auto kText>
Value textOfContext(Row row) {
  const v1::Context* context = row.table.contextOf(row.op);
  return context ? textCell(std::invoke(kText, *context)) : Value();
}

Value error(Row row) {
  const std::string* text =
      row.op.error ? row.table.definitions.text(row.op.error) : nullptr;
  return text ? Value(*text) : Value();
}
Value threadName(Row row) {
  const v1::Thread* thread =
      row.op.thread ? row.table.definitions.thread(row.op.thread) : nullptr;
  return thread ? Value(thread->name()) : Value();
}
// Returns a field of the context of the call; absent if the context is unknown.
template <typename Get>
Value ofContext(Row row, Get get) {
  const v1::Context* context = row.table.contextOf(row.op);
  return context ? Value(get(*context)) : Value();
}
Value endSource(Row row) {
  return row.op.end_source ? Value(nameOf(row.op.end_source)) : Value();
}

// Absent for operations without an end.
Value endBound(Row row) {
  return row.op.ended.known() ? Value(nameOf(endBoundOf(row.op))) : Value();
}

// Absent if the operation transfers no data or the call is unknown.
Value messageSize(Row row) {
  const bool has_size = row.call && trafficOf(row.call->op()) != Traffic::kNone;
  return has_size ? Value(messageBytes(*row.call, row.group_size)) : Value();
}
// Absent for operations without a group or a number, and for messages with an
// unknown peer.
Number correlationId(Row row) {
  if (!row.call || row.group_hash == 0 || row.op.seq == 0) return {};
  const auto id = [](std::uint64_t number) {
    return Number{Number::Kind::kId, number};
  };
  if (!isPointToPoint(row.call->op())) {
    return id(collectiveNumber(row.group_hash, row.op.seq));
  }
  const std::uint32_t self = row.table.header.rank();
  const auto peer = row.table.peerOf(row.op, *row.call);
  if (!peer) return {};
  const bool sends = row.call->op() == v1::OPERATION_SEND;
  return id(messageNumber(row.group_hash, sends ? self : *peer,
                          sends ? *peer : self, row.op.seq));
}

constexpr ExportColumn kColumns[] = {
    {{"rank", Kind::kNumber, "global rank", "in `losses`, of the run",
      kRepeats},
     FieldSource::kStream,
     [](Row r) { return Value(std::uint64_t{r.table.header.rank()}); }},
    {{"op_id", Kind::kNumber, "id of the operation in its rank's stream"},
     [](Row r) { return count(r.op.id); }},
    {{"step", Kind::kNumber, "training step", "before the first mark",
      kRepeats},
     [](Row r) { return optional(r.table.marks.stepOf(r.op.id)); }},
    {{"group_label", Kind::kText, "process group, as in `groups`", "unknown"},
     FieldSource::kCall,
     [](Row r) { return textCell(r.group); }},
    {{"group_size", Kind::kNumber, "members of the group", "unknown", kRepeats},
     FieldSource::kCall,
     [](Row r) { return countUnlessZero(r.group_size); }},
    {{"op", Kind::kText, "operation; in `matches` that of its first rank",
      "no operation"},
     FieldSource::kCall,
     [](Row r) { return Value(operationName(r.table, r.op)); }},
    {{"seq", Kind::kNumber,
      "number of the operation in its group, of a message in its pair",
      "unknown"},
     [](Row r) { return numberUnlessZero(r.op.seq); }},
    {{"batch", Kind::kNumber, "coalesced batch that the operation is part of",
      "in none"},
     [](Row r) { return numberUnlessZero(r.op.batch); }},
    {{"dtype", Kind::kText, "dtype of the tensors; `mixed` where they differ",
      "no tensors, or unknown"},
     FieldSource::kCall,
     [](Row r) { return r.call ? textCell(dtypeText(*r.call)) : Value(); }},
    {{"shapes_in", Kind::kText, "input shapes: `[1024,512]`, `3*[64] [2,64]`",
      "no tensors, or unknown"},
     FieldSource::kCall,
     [](Row r) {
       return r.call ? textCell(shapesText(r.call->input())) : Value();
     }},
    {{"shapes_out", Kind::kText, "output shapes", "no tensors, or unknown"},
     FieldSource::kCall,
     [](Row r) {
       return r.call ? textCell(shapesText(r.call->output())) : Value();
     }},
    {{"tensors_in", Kind::kNumber, "input tensors", "call unknown", kRepeats},
     FieldSource::kCall,
     ofCall<&v1::Call::tensors_in>},
    {{"tensors_out", Kind::kNumber, "output tensors", "call unknown", kRepeats},
     FieldSource::kCall,
     ofCall<&v1::Call::tensors_out>},
    {{"tensors_cut", Kind::kNumber,
      "tensors without a recorded shape; their bytes are counted",
      "call unknown", kRepeats},
     FieldSource::kCall,
     ofCall<&v1::Call::tensors_cut>},
    {{"bytes_in", Kind::kBytes, "size of the inputs", "call unknown", kRepeats},
     FieldSource::kCall,
     ofCall<&v1::Call::bytes_in>},
    {{"bytes_out", Kind::kBytes, "size of the outputs", "call unknown",
      kRepeats},
     FieldSource::kCall,
     ofCall<&v1::Call::bytes_out>},
    {{"in_place", Kind::kFlag, "inputs and outputs share memory",
      "call unknown"},
     FieldSource::kCall,
     ofCall<&v1::Call::in_place>},
    {{"reduce_op", Kind::kText, "reduction", "none"},
     FieldSource::kCall,
     nameOfCall<&v1::Call::reduce_op>},
    {{"root_global", Kind::kNumber, "root, as a global rank", "none", kRepeats},
     FieldSource::kCall,
     ofCallMinus1<&v1::Call::root_global_plus_1>},
    {{"peer_global", Kind::kNumber,
      "other rank of a message as the call names it, as a global rank",
      "no message, or a receive from any rank", kRepeats},
     FieldSource::kCall,
     ofCallMinus1<&v1::Call::peer_global_plus_1>},
    {{"source_rank", Kind::kNumber,
      "group rank that sent what a receive from any rank received",
      "no such receive, or it has not ended", kRepeats},
     [](Row r) { return countMinus1(r.op.source_rank_plus_1); }},
    {{"tag", Kind::kNumber, "tag of a message", "none", kRepeats},
     FieldSource::kCall,
     ofCallIf<&v1::Call::has_tag, &v1::Call::tag>},
    {{"async", Kind::kFlag, "the caller passed `async_op`", "not recorded"},
     FieldSource::kCall,
     ofCallIf<&v1::Call::has_async, &v1::Call::async>},
    {{"timeout_ms", Kind::kNumber, "timeout in milliseconds", "not recorded",
      kRepeats},
     FieldSource::kCall,
     ofCallIf<&v1::Call::has_timeout_ms, &v1::Call::timeout_ms>},
    {{"device", Kind::kText, "device type of the tensors", "not recorded"},
     FieldSource::kCall,
     nameOfCall<&v1::Call::device>},
    {{"device_index", Kind::kNumber, "device number", "not recorded", kRepeats},
     FieldSource::kCall,
     ofCallIf<&v1::Call::has_device_index, &v1::Call::device_index>},
    {{"thread", Kind::kNumber, "id of the calling thread in the stream",
      "not recorded", kRepeats},
     FieldSource::kThread,
     [](Row r) { return countUnlessZero(r.op.thread); }},
    {{"thread_name", Kind::kText, "name of the calling thread", "not recorded"},
     FieldSource::kThread,
     threadName},
    {{"issue_ns", Kind::kInstant, "start of the call", "unknown"},
     at<&AssembledOperation::issued>},
    {{"return_ns", Kind::kInstant, "return of the call",
      "it did not return, or that is lost"},
     at<&AssembledOperation::returned>,
     ColumnIn::kRows},
    {{"start_ns", Kind::kInstant, "start on the device", "not observed"},
     at<&AssembledOperation::started>,
     ColumnIn::kRows},
    {{"end_ns", Kind::kInstant, "end of the operation", "no end observed"},
     at<&AssembledOperation::ended>,
     ColumnIn::kRows},
    {{"end_source", Kind::kText, "what reported the end", "no end observed"},
     FieldSource::kEndSource,
     endSource},
    {{"wait_begin_ns", Kind::kInstant,
      "start of the program's wait, also of DDP's at the end of a backward "
      "pass",
      "it did not wait, or waited for a future"},
     at<&AssembledOperation::wait_began>,
     ColumnIn::kRows},
    {{"wait_end_ns", Kind::kInstant, "end of the program's wait",
      "no wait, or it did not end"},
     at<&AssembledOperation::wait_ended>,
     ColumnIn::kRows},
    {{"release_ns", Kind::kInstant,
      "the program dropped the operation without waiting",
      "it waited, or holds it"},
     at<&AssembledOperation::released>,
     ColumnIn::kRows},
    {{"host_ns", Kind::kTime, "from issue to return",
      "it did not return, or that is lost"},
     lasted<&AssembledOperation::issued, &AssembledOperation::returned>},
    {{"completion_ns", Kind::kTime, "from issue to end", "no end observed"},
     lasted<&AssembledOperation::issued, &AssembledOperation::ended>},
    {{"engine_ns", Kind::kTime, "from start to end", "not observed"},
     lasted<&AssembledOperation::started, &AssembledOperation::ended>,
     ColumnIn::kRows},
    {{"wait_ns", Kind::kTime, "length of the program's wait",
      "no wait, or it did not end"},
     lasted<&AssembledOperation::wait_began, &AssembledOperation::wait_ended>,
     ColumnIn::kRows},
    {{"stall_ns", Kind::kTime, "how long the wait blocked the device's stream",
      "not measured"},
     [](Row r) { return countMinus1(r.op.stall_ns_plus_1); },
     ColumnIn::kRows},
    {{"state", Kind::kText, "`issued`, `ended` or `failed`"},
     FieldSource::kState,
     [](Row r) { return Value(nameOf(r.op.state())); }},
    {{"error", Kind::kText, "message of the failure", "no failure"},
     FieldSource::kError,
     error},
    {{"simulated", Kind::kFlag, "nothing was communicated", "call unknown"},
     FieldSource::kCall,
     ofCall<&v1::Call::simulated>},
    {{"annotations", Kind::kText,
      "[annotations](../use/context.md), nested as `a / b`", "none"},
     FieldSource::kContext,
     textOfContext<annotationsText>},
    {{"module", Kind::kText, "module that issued it", "unknown"},
     FieldSource::kContext,
     textOfContext<modulePath>},
    {{"module_type", Kind::kText, "class of the module", "unknown"},
     FieldSource::kContext,
     textOfContext<&v1::Context::module_type>},
    {{"phase", Kind::kText, "`forward`, `backward`, `recompute`, `optimizer`",
      "unknown"},
     FieldSource::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.phase() ? Value(nameOf(c.phase())) : Value();
       });
     }},
    {{"parent", Kind::kText,
      "object collective or redistribution of a DTensor that issued it",
      "none"},
     FieldSource::kContext,
     textOfContext<&v1::Context::parent>},
    {{"parent_number", Kind::kNumber, "number of that call in the process",
      "none", kRepeats},
     FieldSource::kContext,
     [](Row r) {
       return ofContext(
           r, [](auto& c) { return countUnlessZero(c.parent_number()); });
     }},
    {{"parent_bytes", Kind::kBytes, "size of this rank's pickled object",
      "none", kRepeats},
     FieldSource::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.has_parent_bytes() ? Value(c.parent_bytes()) : Value();
       });
     }},
    {{"message_size", Kind::kBytes, "message size S as nccl-tests counts it",
      "no data, as of a barrier", kRepeats},
     FieldSource::kCall,
     messageSize},
    {{"correlation_id", Kind::kId,
      "the same on all ranks that share the operation",
      "no number, or a group that is not unique", kRepeats},
     correlationId},
    {{"site", Kind::kText, "line of the program that called it",
      "not recorded"},
     FieldSource::kStack,
     [](Row r) { return textCell(r.table.siteOf(r.op)); }},
    {{"algorithm", Kind::kText,
      "NCCL's algorithm; `several` where it used more", "not reported"},
     FieldSource::kAlgorithm,
     [](Row r) { return textCell(r.table.methodText(r.op.algorithm)); }},
    {{"protocol", Kind::kText, "NCCL's protocol", "not reported"},
     FieldSource::kProtocol,
     [](Row r) { return textCell(r.table.methodText(r.op.protocol)); }},
    {{"channels", Kind::kNumber, "NCCL's channels, at most", "not reported",
      kRepeats},
     [](Row r) { return numberUnlessZero(r.op.channels); }},
    // The rows above have all columns up to here. The columns below exist only
    // in Parquet.
    {{"ready_after_ns", Kind::kTime, "from issue until this rank was ready",
      "unknown"},
     [](Row r) { return optional(between(r.op.issued, r.ready)); },
     ColumnIn::kParquet},
    {{"start_after_ns", Kind::kTime, "from issue to the start on the device",
      "not observed"},
     lasted<&AssembledOperation::issued, &AssembledOperation::started>,
     ColumnIn::kParquet},
    {{"end_bound", Kind::kText,
      "`exact`: it ended then; `told`: by then, usually shortly before; "
      "`seen`: by then, maybe long before",
      "no end observed"},
     FieldSource::kEndBound,
     endBound,
     ColumnIn::kParquet},
};

}  // namespace

absl::Span<const ExportColumn> operationColumns() { return kColumns; }

absl::Span<const ExportColumn> exportColumns() {
  const auto* const end = std::find_if(std::begin(kColumns), std::end(kColumns),
                                       [](const ExportColumn& column) {
                                         return column.in == ColumnIn::kParquet;
                                       });
  return {std::begin(kColumns),
          static_cast<std::size_t>(end - std::begin(kColumns))};
}

const ExportColumn& operationColumn(const char* name) {
  for (const ExportColumn& column : kColumns) {
    if (std::string_view(column.name) == name) return column;
  }
  std::abort();
}

std::vector<const ColumnInfo*> infosOf(absl::Span<const ExportColumn> columns) {
  std::vector<const ColumnInfo*> infos;
  for (const ExportColumn& column : columns) {
    infos.push_back(&column);
  }
  return infos;
}

}  // namespace traced
