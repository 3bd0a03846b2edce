#include "analysis/report/report_builder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// What one operation adds to the sums it is part of.
struct Sample {
  std::optional<std::uint64_t> host_ns;
  std::optional<std::uint64_t> completion_ns;
  std::optional<std::uint64_t> wait_ns;
};

Sample measure(const AssembledOperation& op) {
  Sample sample;
  sample.host_ns = between(op.issued, op.returned);
  sample.wait_ns = between(op.wait_began, op.wait_ended);
  // How much a failed operation did until then is not known.
  if (!op.failed) sample.completion_ns = between(op.issued, op.ended);
  return sample;
}

void addTo(CallTotals& totals, const AssembledOperation& op,
           const Sample& sample, bool captured, bool in_batch, bool unseen) {
  ++totals.calls;
  if (sample.host_ns) totals.host.add(*sample.host_ns);
  if (sample.completion_ns) totals.completion.add(*sample.completion_ns);
  if (sample.wait_ns) totals.wait.add(*sample.wait_ns);
  totals.failed += op.failed;
  totals.captured += captured;
  const bool no_end = !captured && op.state() == OperationState::kIssued;
  totals.ends_unknown += no_end && !in_batch;
  totals.ends_with_batch += no_end && in_batch;
  totals.waits_unknown += unseen;
  if (!op.ended.known()) return;
  totals.ends_at_wait += op.end_source == v1::END_SOURCE_WAIT;
  totals.ends_by_future += op.end_source == v1::END_SOURCE_FUTURE;
  totals.ends_at_hook += op.end_source == v1::END_SOURCE_COMPLETION_HOOK;
}

template <typename T>
void keep(std::vector<T>& samples, const std::optional<T>& sample) {
  if (sample) samples.push_back(*sample);
}

std::optional<double> median(std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  return medianOf(samples);
}

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

// "0>1": from whom to whom, the same on both sides; "?>1" of a receive that
// takes what comes.
std::string linkText(std::uint32_t rank, const v1::Call& call) {
  if (!isPointToPoint(call.op())) return "-";
  const std::uint32_t peer_plus_1 = call.peer_global_plus_1();
  const std::string peer =
      peer_plus_1 > 0 ? absl::StrCat(peer_plus_1 - 1) : "?";
  return call.op() == v1::OPERATION_SEND ? absl::StrCat(rank, ">", peer)
                                         : absl::StrCat(peer, ">", rank);
}

}  // namespace

ReportBuilder::ReportBuilder(std::vector<ReportKey> by, const Peers* peers,
                             const Scope* scope, const GroupRoles* roles)
    : peers_(peers), scope_(scope), roles_(roles) {
  report_.by = std::move(by);
  if (roles_) report_.roles = roles_->many();
  const auto& keys = report_.by;
  by_step_ =
      std::find(keys.begin(), keys.end(), ReportKey::kStep) != keys.end();
  by_context_ = std::any_of(keys.begin(), keys.end(), isOfContext);
  if (scope_) report_.scope = scope_->reported;
  by_site_ =
      std::find(keys.begin(), keys.end(), ReportKey::kSite) != keys.end();
  by_method_ = std::any_of(keys.begin(), keys.end(), isOfMethod);
  if (!peers_) return;
  report_.clocks = peers_->clocks;
  const std::int64_t span_ns =
      peers_->arrivals.lastNs() - peers_->arrivals.firstNs();
  report_.window_ns = static_cast<std::uint64_t>(span_ns) / Trend::kWindows + 1;
}

void ReportBuilder::addStream(const StreamTable& table,
                              const ArrivalTable::Stream* stream) {
  report_.summary.add(table);
  const std::vector<std::uint32_t> groups =
      report_.groups.add(table.header.attempt(), table.definitions.groups());
  report_.group_totals.resize(report_.groups.groups().size());

  absl::flat_hash_map<std::pair<std::uint32_t, Place>, std::unique_ptr<Plan>>
      plans;
  // Of each call that of its latest operation, which mostly serves the next.
  struct Newest {
    Place place;
    Plan* plan = nullptr;
  };
  std::vector<Newest> latest_of_call(table.definitions.calls().size());
  Newest without_call;
  const Batches batches(table);
  const BatchSizes sizes(table);
  RankTotals& rank = report_.ranks.emplace_back();
  rank.rank = table.header.rank();
  rank.run_ns = table.runNs();
  std::vector<Unseen> unseen;
  std::optional<ScopeFilter> filter;
  if (scope_) filter.emplace(scope_->reported, scope_->nodes, table);
  PictureBuilder* const pictures = stream ? pictures_ : nullptr;
  if (pictures) pictures->begin(*stream);
  for (std::size_t i = 0; i < table.operations.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    const v1::Call* call = table.callOf(op);
    if (call && call->simulated()) continue;
    if (filter && !filter->holds(op)) {
      ++report_.out_of_scope;
      continue;
    }
    const Place place = placeOf(table, op, sizes);
    Newest& latest = call ? latest_of_call[op.call] : without_call;
    if (!latest.plan || latest.place != place) {
      std::unique_ptr<Plan>& made = plans[{op.call, place}];
      if (!made) {
        made = std::make_unique<Plan>(plan(table, call, place, groups));
      }
      latest = {place, made.get()};
    }
    Plan& made = *latest.plan;
    const bool is_unseen = hasUnseenWait(op, table, batches);
    addOperation(op, made, batches.hasMember(op), is_unseen);
    if (is_unseen) {
      unseen.push_back(
          {UnseenWaits::windowOf(op, table), made.row, made.group});
    }
    if (stream) {
      const OperationSplit split = splitTime(peers_->arrivals, *stream, i);
      addSplit(split, made, rank.rank);
      if (!pictures) continue;
      pictures->add(i, split, {made.message_bytes, made.bus_factor, is_unseen});
    }
  }
  if (pictures) pictures->end();
  for (const auto& [key, plan] : plans) addTotals(*plan, rank.totals);
  if (!unseen.empty()) addUnseen(UnseenWaits(table), unseen, rank.totals);
}

void ReportBuilder::addUnseen(const UnseenWaits& waits,
                              std::vector<Unseen>& unseen, CallTotals& rank) {
  std::vector<UnseenWaits::Window> windows;
  const auto addBy = [&](std::uint32_t Unseen::*key, auto totalsOf) {
    std::sort(
        unseen.begin(), unseen.end(),
        [key](const Unseen& a, const Unseen& b) { return a.*key < b.*key; });
    for (auto from = unseen.begin(); from != unseen.end();) {
      const std::uint32_t value = (*from).*key;
      windows.clear();
      for (; from != unseen.end() && (*from).*key == value; ++from) {
        windows.push_back(from->window);
      }
      totalsOf(value).unseen_at_most_ns += waits.atMostNs(windows);
    }
  };
  addBy(&Unseen::row, [this](std::uint32_t row) -> CallTotals& {
    return report_.rows[row].totals;
  });
  CallTotals no_group;
  addBy(&Unseen::group, [&](std::uint32_t group) -> CallTotals& {
    return group == GroupCatalog::kNone ? no_group
                                        : report_.group_totals[group];
  });
  windows.clear();
  for (const Unseen& operation : unseen) windows.push_back(operation.window);
  rank.unseen_at_most_ns = waits.atMostNs(windows);
  report_.all.unseen_at_most_ns += rank.unseen_at_most_ns;
}

void ReportBuilder::addSplit(const OperationSplit& split, Plan& plan,
                             std::uint32_t rank) {
  plan.totals.split.add(split);
  report_.rows[plan.row].split.add(split, rank, windowOf(split),
                                   plan.message_bytes, plan.bus_factor);
}

void ReportBuilder::addTotals(const Plan& plan, CallTotals& rank) {
  CallTotals totals = plan.totals;
  totals.bytes_in = totals.calls * plan.bytes_in;
  totals.bytes_out = totals.calls * plan.bytes_out;
  totals.bytes = totals.calls * std::max(plan.bytes_in, plan.bytes_out);
  report_.all.add(totals);
  rank.add(totals);
  report_.rows[plan.row].totals.add(totals);
  if (plan.group != GroupCatalog::kNone) {
    report_.group_totals[plan.group].add(totals);
  }
}

std::optional<std::size_t> ReportBuilder::windowOf(
    const OperationSplit& split) const {
  if (!split.ready_ns) return std::nullopt;
  const std::int64_t since_ns = *split.ready_ns - peers_->arrivals.firstNs();
  if (since_ns < 0) return std::nullopt;
  const std::uint64_t window =
      static_cast<std::uint64_t>(since_ns) / report_.window_ns;
  if (window >= Trend::kWindows) return std::nullopt;
  return window;
}

ReportBuilder::Place ReportBuilder::placeOf(const StreamTable& table,
                                            const AssembledOperation& op,
                                            const BatchSizes& sizes) const {
  Place place;
  if (by_step_) place.step = table.marks.stepOf(op.id);
  if (by_context_) place.context = op.context;
  if (by_site_) place.stack = op.stack;
  if (by_method_) {
    place.algorithm = op.algorithm;
    place.protocol = op.protocol;
  }
  const BatchSize* batch = sizes.of(table, op);
  if (!batch || batch->message_bytes == 0) return place;
  place.batch_bytes = batch->message_bytes;
  if (batch->has_bandwidth) {
    place.batch_bus_factor =
        batch->bus_bytes / static_cast<double>(batch->message_bytes);
  }
  return place;
}

ReportBuilder::Plan ReportBuilder::plan(
    const StreamTable& table, const v1::Call* call, const Place& place,
    const std::vector<std::uint32_t>& group_indices) {
  Plan plan;
  if (call) {
    const std::uint32_t local = table.groupOf(*call);
    std::uint32_t group_size = 0;
    if (local != StreamDefinitions::kNone) {
      plan.group = group_indices[local];
      group_size = table.definitions.groups()[local].members.size();
    }
    plan.bytes_in = call->bytes_in();
    plan.bytes_out = call->bytes_out();
    plan.captured = call->graph_plus_1() > 0;
    plan.message_bytes = static_cast<double>(messageBytes(*call, group_size));
    plan.bus_factor = busFactor(call->op(), group_size).value_or(-1);
  }
  if (place.batch_bytes > 0) {
    plan.message_bytes = static_cast<double>(place.batch_bytes);
    plan.bus_factor = place.batch_bus_factor;
  }
  std::vector<std::string> keys;
  for (const ReportKey key : report_.by) {
    keys.push_back(keyText(key, table, call, place, plan.group));
  }
  plan.row = rowFor(std::move(keys));
  return plan;
}

std::uint32_t ReportBuilder::rowFor(std::vector<std::string> keys) {
  const auto next = static_cast<std::uint32_t>(report_.rows.size());
  const auto [place, is_new] = row_by_keys_.try_emplace(std::move(keys), next);
  if (is_new) {
    report_.rows.emplace_back().keys = place->first;
    samples_.emplace_back();
  }
  return place->second;
}

std::string ReportBuilder::keyText(ReportKey key, const StreamTable& table,
                                   const v1::Call* call, const Place& place,
                                   std::uint32_t group) {
  if (key == ReportKey::kRank) return absl::StrCat(table.header.rank());
  if (key == ReportKey::kGroup) {
    return roles_ ? roles_->label(group) : report_.groups.label(group);
  }
  if (key == ReportKey::kStep) {
    return place.step ? absl::StrCat(*place.step) : "-";
  }
  if (key == ReportKey::kSite) {
    const v1::Stack* stack =
        place.stack == 0 ? nullptr : table.definitions.stack(place.stack);
    const std::string text = stack ? table.definitions.siteText(*stack) : "";
    return text.empty() ? "-" : text;
  }
  if (isOfMethod(key)) {
    const std::string text = table.methodText(
        key == ReportKey::kAlgorithm ? place.algorithm : place.protocol);
    return text.empty() ? "-" : text;
  }
  if (isOfContext(key)) {
    const v1::Context* context =
        place.context == 0 ? nullptr : table.definitions.context(place.context);
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
  if (place.batch_bytes > 0) return sizeBucket(place.batch_bytes);
  const std::uint32_t size =
      group == GroupCatalog::kNone
          ? 0
          : report_.groups.groups()[group].members.size();
  return sizeBucket(messageBytes(*call, size));
}

void ReportBuilder::addOperation(const AssembledOperation& op, Plan& plan,
                                 bool in_batch, bool unseen) {
  const Sample sample = measure(op);
  addTo(plan.totals, op, sample, plan.captured, in_batch, unseen);
  Samples& kept = samples_[plan.row];
  keep(kept.host_ns, sample.host_ns);
  keep(kept.completion_ns, sample.completion_ns);
  keep(kept.wait_ns, sample.wait_ns);
  if (sample.completion_ns) addBandwidth(*sample.completion_ns, plan);
}

void ReportBuilder::addBandwidth(std::uint64_t completion_ns,
                                 const Plan& plan) {
  if (plan.bus_factor < 0 || plan.message_bytes == 0 || completion_ns == 0) {
    return;
  }
  // Bytes per nanosecond are 1e9 bytes per second.
  const double algbw = plan.message_bytes / static_cast<double>(completion_ns);
  Samples& kept = samples_[plan.row];
  kept.algbw_gbs.push_back(algbw);
  kept.busbw_gbs.push_back(algbw * plan.bus_factor);
}

Report ReportBuilder::finish() && {
  for (std::size_t i = 0; i < report_.rows.size(); ++i) {
    ReportRow& row = report_.rows[i];
    Samples& kept = samples_[i];
    row.host = summarize(kept.host_ns);
    row.completion = summarize(kept.completion_ns);
    row.wait = summarize(kept.wait_ns);
    row.algbw_gbs = median(kept.algbw_gbs);
    row.busbw_gbs = median(kept.busbw_gbs);
    row.share = row.totals.shareOf(report_.summary.totalRunNs());
    row.share_at_most = row.totals.mostOf(report_.summary.totalRunNs());
  }
  return std::move(report_);
}

}  // namespace traced
