#include "cli/export/operation_columns.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include "analysis/match/match.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/export/operation_facts.h"
#include "trace_io/correlation.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

using Row = const ExportedCall&;
using Value = CellValue;
using Number = ExportNumber;

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
// On the common time line.
Number instant(Row row, Instant at) {
  if (!at.known()) return {};
  return {Number::Kind::kInstant,
          static_cast<std::uint64_t>(row.clock.commonNs(at.ns()))};
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

Value endBound(Row row) {
  return row.op.ended.known() ? Value(nameOf(endBoundOf(row.op))) : Value();
}

Value messageSize(Row row) {
  const bool has_size = row.call && trafficOf(row.call->op()) != Traffic::kNone;
  return has_size ? Value(messageBytes(*row.call, row.group_size)) : Value();
}
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
    {"rank", ToldBy::kStream,
     [](Row r) { return Value(std::uint64_t{r.table.header.rank()}); }},
    {"op_id", [](Row r) { return count(r.op.id); }},
    {"step", [](Row r) { return optional(r.table.marks.stepOf(r.op.id)); }},
    {"group_label", ToldBy::kCall, [](Row r) { return textCell(r.group); }},
    {"group_size", ToldBy::kCall,
     [](Row r) { return countUnlessZero(r.group_size); }},
    {"op", ToldBy::kCall,
     [](Row r) { return Value(operationName(r.table, r.op)); }},
    {"seq", [](Row r) { return numberUnlessZero(r.op.seq); }},
    {"batch", [](Row r) { return numberUnlessZero(r.op.batch); }},
    {"dtype", ToldBy::kCall,
     [](Row r) { return r.call ? textCell(dtypeText(*r.call)) : Value(); }},
    {"shapes_in", ToldBy::kCall,
     [](Row r) {
       return r.call ? textCell(shapesText(r.call->input())) : Value();
     }},
    {"shapes_out", ToldBy::kCall,
     [](Row r) {
       return r.call ? textCell(shapesText(r.call->output())) : Value();
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
    {"source_rank", [](Row r) { return countMinus1(r.op.source_rank_plus_1); }},
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
    {"thread", ToldBy::kThread,
     [](Row r) { return countUnlessZero(r.op.thread); }},
    {"thread_name", ToldBy::kThread, threadName},
    {"issue_ns", [](Row r) { return instant(r, r.op.issued); }},
    {"return_ns", [](Row r) { return instant(r, r.op.returned); },
     ColumnIn::kRows},
    {"start_ns", [](Row r) { return instant(r, r.op.started); },
     ColumnIn::kRows},
    {"end_ns", [](Row r) { return instant(r, r.op.ended); }, ColumnIn::kRows},
    {"end_source", ToldBy::kEndSource, endSource},
    {"wait_begin_ns", [](Row r) { return instant(r, r.op.wait_began); },
     ColumnIn::kRows},
    {"wait_end_ns", [](Row r) { return instant(r, r.op.wait_ended); },
     ColumnIn::kRows},
    {"release_ns", [](Row r) { return instant(r, r.op.released); },
     ColumnIn::kRows},
    {"host_ns",
     [](Row r) { return optional(between(r.op.issued, r.op.returned)); }},
    {"completion_ns",
     [](Row r) { return optional(between(r.op.issued, r.op.ended)); }},
    {"engine_ns",
     [](Row r) { return optional(between(r.op.started, r.op.ended)); },
     ColumnIn::kRows},
    {"wait_ns",
     [](Row r) { return optional(between(r.op.wait_began, r.op.wait_ended)); },
     ColumnIn::kRows},
    {"stall_ns", [](Row r) { return countMinus1(r.op.stall_ns_plus_1); },
     ColumnIn::kRows},
    {"state", ToldBy::kState,
     [](Row r) { return Value(nameOf(r.op.state())); }},
    {"error", ToldBy::kError, error},
    {"simulated", ToldBy::kCall,
     [](Row r) { return ofCall(r, [](auto& c) { return c.simulated(); }); }},
    {"annotations", ToldBy::kContext,
     [](Row r) {
       return ofContext(r,
                        [](auto& c) { return textCell(annotationsText(c)); });
     }},
    {"module", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) { return textCell(modulePath(c)); });
     }},
    {"module_type", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) { return textCell(c.module_type()); });
     }},
    {"phase", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.phase() ? Value(nameOf(c.phase())) : Value();
       });
     }},
    {"parent", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) { return textCell(c.parent()); });
     }},
    {"parent_number", ToldBy::kContext,
     [](Row r) {
       return ofContext(
           r, [](auto& c) { return countUnlessZero(c.parent_number()); });
     }},
    {"parent_bytes", ToldBy::kContext,
     [](Row r) {
       return ofContext(r, [](auto& c) {
         return c.has_parent_bytes() ? Value(c.parent_bytes()) : Value();
       });
     }},
    {"message_size", ToldBy::kCall, messageSize},
    {"correlation_id", correlationId},
    {"site", ToldBy::kStack,
     [](Row r) { return textCell(r.table.siteOf(r.op)); }},
    {"algorithm", ToldBy::kAlgorithm,
     [](Row r) { return textCell(r.table.methodText(r.op.algorithm)); }},
    {"protocol", ToldBy::kProtocol,
     [](Row r) { return textCell(r.table.methodText(r.op.protocol)); }},
    {"channels", [](Row r) { return numberUnlessZero(r.op.channels); }},
    // Only behind these.
    {"ready_after_ns",
     [](Row r) { return optional(between(r.op.issued, r.ready)); },
     ColumnIn::kParquet},
    {"start_after_ns",
     [](Row r) { return optional(between(r.op.issued, r.op.started)); },
     ColumnIn::kParquet},
    {"end_bound", ToldBy::kEndBound, endBound, ColumnIn::kParquet},
};

}  // namespace

char* writeDigits(char* to, const ExportNumber& number) {
  constexpr std::ptrdiff_t kMost = 20;
  switch (number.kind) {
    case ExportNumber::Kind::kAbsent:
      return to;
    case ExportNumber::Kind::kCount:
      return std::to_chars(to, to + kMost, number.value).ptr;
    case ExportNumber::Kind::kInstant:
      return std::to_chars(to, to + kMost,
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

std::uint32_t idOfTeller(ToldBy told_by, const ExportedCall& call) {
  switch (told_by) {
    case ToldBy::kCall:
      return call.op.call;
    case ToldBy::kContext:
      return call.op.context;
    case ToldBy::kStack:
      return call.op.stack;
    case ToldBy::kThread:
      return call.op.thread;
    case ToldBy::kState:
      return static_cast<std::uint32_t>(call.op.state());
    case ToldBy::kEndSource:
      return static_cast<std::uint32_t>(call.op.end_source);
    case ToldBy::kEndBound:
      return call.op.ended.known()
                 ? 1 + static_cast<std::uint32_t>(endBoundOf(call.op))
                 : 0;
    case ToldBy::kError:
      return call.op.error;
    case ToldBy::kAlgorithm:
      return call.op.algorithm;
    case ToldBy::kProtocol:
      return call.op.protocol;
    case ToldBy::kStream:
    case ToldBy::kOperation:
      break;
  }
  return 0;
}

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
    infos.push_back(&columnInfo(column.name));
  }
  return infos;
}

const TableSpec& operationTable() {
  static const TableSpec spec = [] {
    TableSpec made = {"operations",
                      "an operation of a rank",
                      {},
                      {"group_label", "seq", "rank"}};
    for (const ExportColumn& column : kColumns) {
      if (column.in == ColumnIn::kRows) continue;
      made.columns.push_back(&columnInfo(column.name));
    }
    return made;
  }();
  return spec;
}

}  // namespace traced
