#include "analysis/report/report_builder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/figures/bandwidth.h"
#include "analysis/report/operation_sample.h"
#include "analysis/stream/batches.h"

namespace traced {
namespace {

template <typename T>
void keep(std::vector<T>& samples, const std::optional<T>& sample) {
  if (sample) samples.push_back(*sample);
}

std::optional<double> median(std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  return medianOf(samples);
}

}  // namespace

ReportBuilder::ReportBuilder(std::vector<ReportKey> by, const Peers* peers,
                             const Scope* scope, const GroupRoles* roles)
    : peers_(peers), scope_(scope), keys_(std::move(by), roles) {
  report_.by = keys_.by();
  if (roles) report_.roles = roles->many();
  if (scope_) report_.scope = scope_->reported;
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

  absl::flat_hash_map<std::pair<std::uint32_t, RowPlace>, std::unique_ptr<Plan>>
      plans;
  // Of each call that of its latest operation, which mostly serves the next.
  struct Newest {
    RowPlace place;
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
    const RowPlace place = keys_.placeOf(table, op, sizes);
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

ReportBuilder::Plan ReportBuilder::plan(
    const StreamTable& table, const v1::Call* call, const RowPlace& place,
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
  plan.row =
      rowFor(keys_.textsOf(table, call, place, plan.group, report_.groups));
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

void ReportBuilder::addOperation(const AssembledOperation& op, Plan& plan,
                                 bool in_batch, bool unseen) {
  const OperationSample sample = sampleOf(op);
  addTo(plan.totals, op, sample, {plan.captured, in_batch, unseen});
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
