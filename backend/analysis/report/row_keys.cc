#include "analysis/report/row_keys.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

bool isOfContext(ReportKey key) {
  return key == ReportKey::kAnnotation || key == ReportKey::kModule ||
         key == ReportKey::kPhase || key == ReportKey::kParent;
}

bool isOfMethod(ReportKey key) {
  return key == ReportKey::kAlgorithm || key == ReportKey::kProtocol;
}

std::string contextText(ReportKey key, const v1::Context& context) {
  switch (key) {
    case ReportKey::kAnnotation:
      return annotationsText(context);
    case ReportKey::kModule:
      return modulePath(context);
    case ReportKey::kPhase:
      return context.phase() ? nameOf(context.phase()) : "";
    default:
      return context.parent();
  }
}

// Returns "0>1": sender and receiver, equal on both sides. Returns "?>1" for a
// receive from any rank and "-" for other operations.
std::string linkText(std::uint32_t rank, const v1::Call& call) {
  if (!isPointToPoint(call.op())) return "-";
  const std::uint32_t peer_plus_1 = call.peer_global_plus_1();
  const std::string peer =
      peer_plus_1 > 0 ? absl::StrCat(peer_plus_1 - 1) : "?";
  return call.op() == v1::OPERATION_SEND ? absl::StrCat(rank, ">", peer)
                                         : absl::StrCat(peer, ">", rank);
}

}  // namespace

RowKeys::RowKeys(std::vector<ReportKey> by, const GroupRoles* roles)
    : by_(std::move(by)), roles_(roles) {
  const auto has = [this](ReportKey key) {
    return std::find(by_.begin(), by_.end(), key) != by_.end();
  };
  by_step_ = has(ReportKey::kStep);
  by_site_ = has(ReportKey::kSite);
  by_context_ = std::any_of(by_.begin(), by_.end(), isOfContext);
  by_method_ = std::any_of(by_.begin(), by_.end(), isOfMethod);
}

RowContext RowKeys::contextOf(const StreamTable& table,
                              const AssembledOperation& op,
                              const BatchSizes& sizes) const {
  RowContext row_context;
  if (by_step_) row_context.step = table.marks.stepOf(op.id);
  if (by_context_) row_context.context = op.context;
  if (by_site_) row_context.stack = op.stack;
  if (by_method_) {
    row_context.algorithm = op.algorithm;
    row_context.protocol = op.protocol;
  }
  const BatchSize* batch = sizes.of(table, op);
  if (!batch || batch->message_bytes == 0) return row_context;
  row_context.batch_bytes = batch->message_bytes;
  if (batch->has_bandwidth) {
    row_context.batch_bus_factor =
        batch->bus_bytes / static_cast<double>(batch->message_bytes);
  }
  return row_context;
}

std::vector<std::string> RowKeys::textsOf(const StreamTable& table,
                                          const v1::Call* call,
                                          const RowContext& row_context,
                                          std::uint32_t group,
                                          const GroupCatalog& groups) const {
  std::vector<std::string> texts;
  for (const ReportKey key : by_) {
    texts.push_back(textOf(key, table, call, row_context, group, groups));
  }
  return texts;
}

std::string RowKeys::textOf(ReportKey key, const StreamTable& table,
                            const v1::Call* call, const RowContext& row_context,
                            std::uint32_t group,
                            const GroupCatalog& groups) const {
  if (key == ReportKey::kRank) return absl::StrCat(table.header.rank());
  if (key == ReportKey::kGroup) {
    return roles_ ? roles_->label(group) : groups.label(group);
  }
  if (key == ReportKey::kStep) {
    return row_context.step ? absl::StrCat(*row_context.step) : "-";
  }
  if (key == ReportKey::kSite) {
    const v1::Stack* stack = row_context.stack == 0
                                 ? nullptr
                                 : table.definitions.stack(row_context.stack);
    const std::string text = stack ? table.definitions.siteText(*stack) : "";
    return text.empty() ? "-" : text;
  }
  if (isOfMethod(key)) {
    const std::string text =
        table.methodText(key == ReportKey::kAlgorithm ? row_context.algorithm
                                                      : row_context.protocol);
    return text.empty() ? "-" : text;
  }
  if (isOfContext(key)) {
    const v1::Context* context =
        row_context.context == 0
            ? nullptr
            : table.definitions.context(row_context.context);
    const std::string text = context ? contextText(key, *context) : "";
    return text.empty() ? "-" : text;
  }
  if (!call) return key == ReportKey::kOp ? kUnknownOperation : "-";
  switch (key) {
    case ReportKey::kOp:
      return nameOf(call->op());
    case ReportKey::kDtype:
      return dtypeText(*call);
    case ReportKey::kShape:
      return shapeText(*call);
    case ReportKey::kPeer:
      return linkText(table.header.rank(), *call);
    default:
      break;
  }
  if (row_context.batch_bytes > 0) return sizeBucket(row_context.batch_bytes);
  const std::uint32_t size =
      group == GroupCatalog::kNone ? 0 : groups.groups()[group].members.size();
  return sizeBucket(messageBytes(*call, size));
}

}  // namespace traced
