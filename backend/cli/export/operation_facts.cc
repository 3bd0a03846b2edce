#include "cli/export/operation_facts.h"

#include "analysis/stream/call_text.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"

namespace traced {
namespace {

void unlessEmpty(FactTaker& to, const char* name, const std::string& text) {
  if (!text.empty() && text != "-") to.take(name, text);
}

void unlessZero(FactTaker& to, const char* name, std::uint64_t value) {
  if (value > 0) to.take(name, value);
}

void tellCall(FactTaker& to, const StreamTable& table,
              const AssembledOperation& op, const v1::Call& call) {
  unlessZero(to, "bytes_in", call.bytes_in());
  unlessZero(to, "bytes_out", call.bytes_out());
  unlessEmpty(to, "dtype", dtypeText(call));
  unlessEmpty(to, "shape", shapeText(call));
  if (call.root_global_plus_1() > 0) {
    to.take("root", std::uint64_t{call.root_global_plus_1() - 1});
  }
  if (const auto peer = table.peerOf(op, call)) {
    to.take(call.op() == v1::OPERATION_SEND ? "to" : "from",
            std::uint64_t{*peer});
  }
}

void tellTimes(FactTaker& to, const OperationSplit& split,
               const AssembledOperation& op,
               const std::optional<JobView::Latest>& latest) {
  if (const auto& wait = split.wait_for_peers) {
    to.take("for_peers_ns", notBelowZero(wait->ns));
    unlessZero(to, "for_peers_within_ns", offByNs(*wait));
  }
  if (const auto& transfer = split.transfer) {
    to.take("transfer_ns", notBelowZero(transfer->ns));
    unlessZero(to, "transfer_within_ns", transferOffByNs(*transfer, op));
  }
  if (op.ended.known() && isLateBound(op)) {
    to.take("end_bound", std::string(nameOf(endBoundOf(op))));
  }
  if (!latest) return;
  to.take("latest_rank", std::uint64_t{latest->rank});
  to.take("latest_by_ns", notBelowZero(latest->ready_ns - latest->before_ns));
  unlessZero(to, "latest_within_ns", latest->within_ns);
}

}  // namespace

void tellFacts(FactTaker& to, const StreamTable& table,
               const OperationSlice& slice,
               const std::optional<JobView::Latest>& latest) {
  const AssembledOperation& op = table.operations[slice.cell.operation];
  unlessZero(to, "number", op.seq);
  if (const v1::Call* call = table.callOf(op)) tellCall(to, table, op, *call);
  if (const auto step = table.marks.stepOf(op.id)) to.take("step", *step);
  tellTimes(to, slice.split, op, latest);
  unlessEmpty(to, "site", table.siteOf(op));
  if (const v1::Context* context = table.contextOf(op)) {
    unlessEmpty(to, "module", modulePath(*context));
    if (context->phase()) {
      to.take("phase", nameOf(context->phase()));
    }
    unlessEmpty(to, "annotations", annotationsText(*context));
    unlessEmpty(to, "parent", context->parent());
  }
  unlessEmpty(to, "algorithm", table.methodText(op.algorithm));
  unlessEmpty(to, "protocol", table.methodText(op.protocol));
  if (slice.how != SpanEnd::kEnded) {
    to.take("end", nameOf(slice.how));
  }
  const std::string* error =
      op.error ? table.definitions.text(op.error) : nullptr;
  if (error) to.take("error", *error);
}

}  // namespace traced
