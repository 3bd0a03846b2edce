#include "cli/export/export_columns.h"

#include <optional>

#include "analysis/match/match.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "trace_io/correlation.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

using Row = const ExportedCall&;
using Value = ExportValue;

Value unlessZero(std::uint64_t value) {
  return value == 0 ? Value() : Value(value);
}
Value minus1(std::uint64_t plus_1) {
  return plus_1 == 0 ? Value() : Value(plus_1 - 1);
}
Value optional(const std::optional<std::uint64_t>& value) {
  return value ? Value(*value) : Value();
}
Value unlessEmpty(std::string text) {
  return text.empty() || text == "-" ? Value() : Value(std::move(text));
}
// On the common time line.
Value instant(Row row, Instant at) {
  return at.known() ? Value(row.clock.commonNs(at.ns())) : Value();
}
// What a call says; absent when there is none.
template <typename Get>
Value ofCall(Row row, Get get) {
  return row.call ? Value(get(*row.call)) : Value();
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
// What is known of where it was issued; absent when that is nothing.
template <typename Get>
Value ofContext(Row row, Get get) {
  const v1::Context* context = row.table.contextOf(row.op);
  return context ? Value(get(*context)) : Value();
}
Value endSource(Row row) {
  return row.op.end_source ? Value(nameOf(row.op.end_source)) : Value();
}

Value messageSize(Row row) {
  const bool has_size = row.call && trafficOf(row.call->op()) != Traffic::kNone;
  return has_size ? Value(messageBytes(*row.call, row.group_size)) : Value();
}
Value correlationId(Row row) {
  if (!row.call || row.group_hash == 0 || row.op.seq == 0) return Value();
  if (!isPointToPoint(row.call->op())) {
    return Value(correlationOfCollective(row.group_hash, row.op.seq));
  }
  const std::uint32_t self = row.table.header.rank();
  const auto peer = row.table.peerOf(row.op, *row.call);
  if (!peer) return Value();
  const bool sends = row.call->op() == v1::OPERATION_SEND;
  return Value(correlationOfMessage(row.group_hash, sends ? self : *peer,
                                    sends ? *peer : self, row.op.seq));
}

constexpr ExportColumn kColumns[] = {
    {"rank", ToldBy::kStream,
     [](Row r) { return Value(std::uint64_t{r.table.header.rank()}); }},
    {"op_id", ToldBy::kOperation, [](Row r) { return Value(r.op.id); }},
    {"step", ToldBy::kOperation,
     [](Row r) { return optional(r.table.marks.stepOf(r.op.id)); }},
    {"group", ToldBy::kCall, [](Row r) { return unlessEmpty(r.group); }},
    {"group_size", ToldBy::kCall,
     [](Row r) { return unlessZero(r.group_size); }},
    {"op", ToldBy::kCall,
     [](Row r) { return Value(operationName(r.table, r.op)); }},
    {"seq", ToldBy::kOperation, [](Row r) { return unlessZero(r.op.seq); }},
    {"batch", ToldBy::kOperation, [](Row r) { return unlessZero(r.op.batch); }},
    {"dtype", ToldBy::kCall,
     [](Row r) { return r.call ? unlessEmpty(dtypeText(*r.call)) : Value(); }},
    {"shapes_in", ToldBy::kCall,
     [](Row r) {
       return r.call ? unlessEmpty(shapesText(r.call->input())) : Value();
     }},
    {"shapes_out", ToldBy::kCall,
     [](Row r) {
       return r.call ? unlessEmpty(shapesText(r.call->output())) : Value();
     }},
    {"tensors_in", ToldBy::kCall,
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_in()}; });
     }},
    {"tensors_out", ToldBy::kCall,
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_out()}; });
     }},
    {"tensors_cut", ToldBy::kCall,
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_cut()}; });
     }},
    {"bytes_in", ToldBy::kCall,
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.bytes_in()}; });
     }},
    {"bytes_out", ToldBy::kCall,
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.bytes_out()}; });
     }},
    {"in_place", ToldBy::kCall,
     [](Row r) { return ofCall(r, [](auto& c) { return c.in_place(); }); }},
    {"reduce_op", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->reduce_op() ? Value(nameOf(r.call->reduce_op()))
                                            : Value();
     }},
    {"root_global", ToldBy::kCall,
     [](Row r) {
       return r.call ? minus1(r.call->root_global_plus_1()) : Value();
     }},
    {"peer_global", ToldBy::kCall,
     [](Row r) {
       return r.call ? minus1(r.call->peer_global_plus_1()) : Value();
     }},
    {"source_rank", ToldBy::kOperation,
     [](Row r) { return minus1(r.op.source_rank_plus_1); }},
    {"tag", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->has_tag() ? Value(std::int64_t{r.call->tag()})
                                          : Value();
     }},
    {"async", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->has_async() ? Value(r.call->async()) : Value();
     }},
    {"timeout_ms", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->has_timeout_ms()
                  ? Value(std::int64_t{r.call->timeout_ms()})
                  : Value();
     }},
    {"device", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->device() ? Value(nameOf(r.call->device()))
                                         : Value();
     }},
    {"device_index", ToldBy::kCall,
     [](Row r) {
       return r.call && r.call->has_device_index()
                  ? Value(std::int64_t{r.call->device_index()})
                  : Value();
     }},
    {"thread", ToldBy::kThread, [](Row r) { return unlessZero(r.op.thread); }},
    {"thread_name", ToldBy::kThread, threadName},
    {"issue_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.issued); }},
    {"return_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.returned); }},
    {"start_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.started); }},
    {"end_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.ended); }},
    {"end_source", ToldBy::kOperation, endSource},
    {"wait_begin_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.wait_began); }},
    {"wait_end_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.wait_ended); }},
    {"release_ns", ToldBy::kOperation,
     [](Row r) { return instant(r, r.op.released); }},
    {"host_ns", ToldBy::kOperation,
     [](Row r) { return optional(between(r.op.issued, r.op.returned)); }},
    {"completion_ns", ToldBy::kOperation,
     [](Row r) { return optional(between(r.op.issued, r.op.ended)); }},
    {"engine_ns", ToldBy::kOperation,
     [](Row r) { return optional(between(r.op.started, r.op.ended)); }},
    {"wait_ns", ToldBy::kOperation,
     [](Row r) { return optional(between(r.op.wait_began, r.op.wait_ended)); }},
    {"stall_ns", ToldBy::kOperation,
     [](Row r) { return minus1(r.op.stall_ns_plus_1); }},
    {"state", ToldBy::kOperation,
     [](Row r) { return Value(nameOf(r.op.state())); }},
    {"error", ToldBy::kOperation, error},
    {"simulated", ToldBy::kCall,
     [](Row r) { return ofCall(r, [](auto& c) { return c.simulated(); }); }},
    {"annotations", ToldBy::kContext,
     [](Row r) {
       return ofContext(
           r, [](auto& c) { return unlessEmpty(annotationsText(c)); });
     }},
    {"module", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) { return unlessEmpty(modulePath(c)); });
     }},
    {"module_type", ToldBy::kContext,
     [](Row r) {
       return ofContext(r,
                        [](auto& c) { return unlessEmpty(c.module_type()); });
     }},
    {"phase", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.phase() ? Value(nameOf(c.phase())) : Value();
       });
     }},
    {"parent", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) { return unlessEmpty(c.parent()); });
     }},
    {"parent_number", ToldBy::kContext,
     [](Row r) {
       return ofContext(r,
                        [](auto& c) { return unlessZero(c.parent_number()); });
     }},
    {"parent_bytes", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.has_parent_bytes() ? Value(c.parent_bytes()) : Value();
       });
     }},
    {"message_size", ToldBy::kCall, messageSize},
    {"correlation_id", ToldBy::kOperation, correlationId},
    {"site", ToldBy::kStack,
     [](Row r) { return unlessEmpty(r.table.siteOf(r.op)); }},
    {"algorithm", ToldBy::kOperation,
     [](Row r) { return unlessEmpty(r.table.methodText(r.op.algorithm)); }},
    {"protocol", ToldBy::kOperation,
     [](Row r) { return unlessEmpty(r.table.methodText(r.op.protocol)); }},
    {"channels", ToldBy::kOperation,
     [](Row r) { return unlessZero(r.op.channels); }},
};

}  // namespace

absl::Span<const ExportColumn> exportColumns() { return kColumns; }

}  // namespace traced
