#include "cli/export/export_columns.h"

#include <optional>

#include "analysis/match/match.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/clock_models.h"
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
  return at.known() ? Value(commonNs(row.clock, at.ns())) : Value();
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
    {"rank", [](Row r) { return Value(std::uint64_t{r.table.header.rank()}); }},
    {"op_id", [](Row r) { return Value(r.op.id); }},
    {"step", [](Row r) { return optional(r.table.marks.stepOf(r.op.id)); }},
    {"group", [](Row r) { return unlessEmpty(r.group); }},
    {"group_size", [](Row r) { return unlessZero(r.group_size); }},
    {"op", [](Row r) { return Value(operationName(r.table, r.op)); }},
    {"seq", [](Row r) { return unlessZero(r.op.seq); }},
    {"batch", [](Row r) { return unlessZero(r.op.batch); }},
    {"dtype",
     [](Row r) { return r.call ? unlessEmpty(dtypeText(*r.call)) : Value(); }},
    {"shapes_in",
     [](Row r) {
       return r.call ? unlessEmpty(shapesText(r.call->input())) : Value();
     }},
    {"shapes_out",
     [](Row r) {
       return r.call ? unlessEmpty(shapesText(r.call->output())) : Value();
     }},
    {"tensors_in",
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_in()}; });
     }},
    {"tensors_out",
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_out()}; });
     }},
    {"tensors_cut",
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.tensors_cut()}; });
     }},
    {"bytes_in",
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.bytes_in()}; });
     }},
    {"bytes_out",
     [](Row r) {
       return ofCall(r, [](auto& c) { return std::uint64_t{c.bytes_out()}; });
     }},
    {"in_place",
     [](Row r) { return ofCall(r, [](auto& c) { return c.in_place(); }); }},
    {"reduce_op",
     [](Row r) {
       return r.call && r.call->reduce_op() ? Value(nameOf(r.call->reduce_op()))
                                            : Value();
     }},
    {"root_global",
     [](Row r) {
       return r.call ? minus1(r.call->root_global_plus_1()) : Value();
     }},
    {"peer_global",
     [](Row r) {
       return r.call ? minus1(r.call->peer_global_plus_1()) : Value();
     }},
    {"source_rank", [](Row r) { return minus1(r.op.source_rank_plus_1); }},
    {"tag",
     [](Row r) {
       return r.call && r.call->has_tag() ? Value(std::int64_t{r.call->tag()})
                                          : Value();
     }},
    {"async",
     [](Row r) {
       return r.call && r.call->has_async() ? Value(r.call->async()) : Value();
     }},
    {"timeout_ms",
     [](Row r) {
       return r.call && r.call->has_timeout_ms()
                  ? Value(std::int64_t{r.call->timeout_ms()})
                  : Value();
     }},
    {"device",
     [](Row r) {
       return r.call && r.call->device() ? Value(nameOf(r.call->device()))
                                         : Value();
     }},
    {"device_index",
     [](Row r) {
       return r.call && r.call->has_device_index()
                  ? Value(std::int64_t{r.call->device_index()})
                  : Value();
     }},
    {"thread", [](Row r) { return unlessZero(r.op.thread); }},
    {"thread_name", threadName},
    {"issue_ns", [](Row r) { return instant(r, r.op.issued); }},
    {"return_ns", [](Row r) { return instant(r, r.op.returned); }},
    {"start_ns", [](Row r) { return instant(r, r.op.started); }},
    {"end_ns", [](Row r) { return instant(r, r.op.ended); }},
    {"end_source", endSource},
    {"wait_begin_ns", [](Row r) { return instant(r, r.op.wait_began); }},
    {"wait_end_ns", [](Row r) { return instant(r, r.op.wait_ended); }},
    {"release_ns", [](Row r) { return instant(r, r.op.released); }},
    {"host_ns",
     [](Row r) { return optional(between(r.op.issued, r.op.returned)); }},
    {"completion_ns",
     [](Row r) { return optional(between(r.op.issued, r.op.ended)); }},
    {"engine_ns",
     [](Row r) { return optional(between(r.op.started, r.op.ended)); }},
    {"wait_ns",
     [](Row r) { return optional(between(r.op.wait_began, r.op.wait_ended)); }},
    {"stall_ns", [](Row r) { return minus1(r.op.stall_ns_plus_1); }},
    {"state", [](Row r) { return Value(nameOf(r.op.state())); }},
    {"error", error},
    {"simulated",
     [](Row r) { return ofCall(r, [](auto& c) { return c.simulated(); }); }},
    {"annotations",
     [](Row r) {
       return ofContext(
           r, [](auto& c) { return unlessEmpty(annotationsText(c)); });
     }},
    {"module",
     [](Row r) {
       return ofContext(r, [](auto& c) { return unlessEmpty(modulePath(c)); });
     }},
    {"module_type",
     [](Row r) {
       return ofContext(r,
                        [](auto& c) { return unlessEmpty(c.module_type()); });
     }},
    {"phase",
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.phase() ? Value(nameOf(c.phase())) : Value();
       });
     }},
    {"parent",
     [](Row r) {
       return ofContext(r, [](auto& c) { return unlessEmpty(c.parent()); });
     }},
    {"parent_number",
     [](Row r) {
       return ofContext(r,
                        [](auto& c) { return unlessZero(c.parent_number()); });
     }},
    {"parent_bytes",
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.has_parent_bytes() ? Value(c.parent_bytes()) : Value();
       });
     }},
    {"message_size", messageSize},
    {"correlation_id", correlationId},
    {"site", [](Row r) { return unlessEmpty(r.table.siteOf(r.op)); }},
    {"algorithm",
     [](Row r) { return unlessEmpty(r.table.methodText(r.op.algorithm)); }},
    {"protocol",
     [](Row r) { return unlessEmpty(r.table.methodText(r.op.protocol)); }},
    {"channels", [](Row r) { return unlessZero(r.op.channels); }},
};

}  // namespace

absl::Span<const ExportColumn> exportColumns() { return kColumns; }

}  // namespace traced
