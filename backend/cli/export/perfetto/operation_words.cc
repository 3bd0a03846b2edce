#include "cli/export/perfetto/operation_words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"
#include "cli/common/text.h"
#include "cli/export/perfetto/rank_packets.h"

namespace traced::perfetto {
namespace {

constexpr std::size_t kEndings = 8;

std::string nameText(const StreamTable& table, const AssembledOperation& op,
                     std::uint64_t bytes, SpanEnd how) {
  std::string text = operationName(table, op);
  const v1::Call* call = table.callOf(op);
  if (bytes > 0) absl::StrAppend(&text, " ", bytesText(bytes));
  if (call && call->simulated()) text += " (simulated)";
  if (call && call->graph_plus_1() > 0) text += " (captured)";
  if (how == SpanEnd::kFailed) text += " (failed)";
  if (how == SpanEnd::kOpen) text += " (not ended)";
  if (how == SpanEnd::kNotSeen) text += " (end not seen)";
  return text;
}

void unlessEmpty(Sequence& to, const char* name, const std::string& text) {
  if (!text.empty() && text != "-") to.annotate(name, text);
}

void unlessZero(Sequence& to, const char* name, std::uint64_t value) {
  if (value > 0) to.annotate(name, value);
}

}  // namespace

std::string OperationWords::groupName(std::uint32_t group) const {
  return group == GroupCatalog::kNone
             ? "operations of no known group"
             : absl::StrCat("group ", view_.run().groups.label(group));
}

std::string OperationWords::groupDescription(std::uint32_t group) const {
  if (group == GroupCatalog::kNone) return "";
  const JobGroup& known = view_.run().groups.groups()[group];
  return absl::StrCat(known.backend, ", ",
                      countOf(known.members.size(), "rank"), ": ",
                      known.members.text());
}

std::uint64_t OperationWords::bytesOf(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call ? std::max(call->bytes_in(), call->bytes_out()) : 0;
}

bool OperationWords::sends(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call && call->op() == v1::OPERATION_SEND;
}

std::uint64_t OperationWords::name(Sequence& to, const OperationSlice& slice) {
  const AssembledOperation& op = operationOf(slice);
  const auto text = [&] {
    return nameText(table_, op, bytesOf(slice), slice.how);
  };
  if (op.call == AssembledOperation::kNoCall) return to.name(text());
  const std::size_t place =
      op.call * kEndings + static_cast<std::size_t>(slice.how);
  if (place >= names_.size()) names_.resize((op.call + 1) * kEndings);
  if (names_[place] == 0) names_[place] = to.name(text());
  return names_[place];
}

void OperationWords::annotate(Sequence& to, const OperationSlice& slice,
                              const RowFacts& facts) const {
  const AssembledOperation& op = operationOf(slice);
  unlessZero(to, "number", op.seq);
  if (const v1::Call* call = table_.callOf(op)) {
    unlessZero(to, "bytes_in", call->bytes_in());
    unlessZero(to, "bytes_out", call->bytes_out());
    unlessEmpty(to, "dtype", dtypeText(*call));
    unlessEmpty(to, "shape", shapeText(*call));
    if (call->root_global_plus_1() > 0) {
      to.annotate("root", std::uint64_t{call->root_global_plus_1() - 1});
    }
    if (const auto peer = table_.peerOf(op, *call)) {
      to.annotate(sends(slice) ? "to" : "from", std::uint64_t{*peer});
    }
  }
  if (const auto step = table_.marks.stepOf(op.id)) to.annotate("step", *step);
  annotateTimes(to, slice, facts);
  unlessEmpty(to, "site", table_.siteOf(op));
  if (const v1::Context* context = table_.contextOf(op)) {
    unlessEmpty(to, "module", modulePath(*context));
    if (context->phase()) to.annotate("phase", nameOf(context->phase()));
    unlessEmpty(to, "annotations", annotationsText(*context));
    unlessEmpty(to, "parent", context->parent());
  }
  unlessEmpty(to, "algorithm", table_.methodText(op.algorithm));
  unlessEmpty(to, "protocol", table_.methodText(op.protocol));
  if (slice.how != SpanEnd::kEnded) to.annotate("end", nameOf(slice.how));
  const std::string* error =
      op.error ? table_.definitions.text(op.error) : nullptr;
  if (error) to.annotate("error", *error);
}

void OperationWords::annotateTimes(Sequence& to, const OperationSlice& slice,
                                   const RowFacts& facts) const {
  const OperationSplit& split = slice.split;
  const auto timed = [&](const char* name, const char* within,
                         const CertifiedTime& time) {
    to.annotate(name, notBelowZero(time.ns));
    unlessZero(to, within, offByNs(time));
  };
  if (split.wait_for_peers) {
    timed("for_peers_ns", "for_peers_within_ns", *split.wait_for_peers);
  }
  if (split.transfer)
    timed("transfer_ns", "transfer_within_ns", *split.transfer);
  if (!facts.latest) return;
  to.annotate("latest_rank", std::uint64_t{facts.latest->rank});
  to.annotate("latest_by_ns",
              notBelowZero(facts.latest->ready_ns - facts.latest->before_ns));
  unlessZero(to, "latest_within_ns", facts.latest->within_ns);
}

}  // namespace traced::perfetto
