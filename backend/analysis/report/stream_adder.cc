#include "analysis/report/stream_adder.h"

#include <algorithm>
#include <functional>

#include "analysis/figures/bandwidth.h"
#include "analysis/report/row_samples.h"
#include "analysis/time_split/time_split.h"

namespace traced {

namespace {

// Returns how much of the time that an operation blocked the program was no
// waiting for peers. 0 if unknown.
std::uint64_t costNs(const OperationSplit& split, std::uint64_t held_ns) {
  if (!split.wait_for_peers || !split.transfer) return 0;
  return held_ns - std::min(held_ns, notBelowZero(split.wait_for_peers->ns));
}

// Returns the transfer time if it is known, else the time to the end or to the
// return.
std::optional<std::uint64_t> durationOf(const OperationSplit& split,
                                        const OperationSample& sample) {
  if (split.transfer) return notBelowZero(split.transfer->ns);
  return sample.completion_ns ? sample.completion_ns : sample.host_ns;
}

}  // namespace

ReportSums::StreamAdder::StreamAdder(ReportSums& sums,
                                     const ReportedStream& stream,
                                     PictureBuilder* pictures)
    : sums_(sums),
      plan_(sums.plan_),
      stream_(stream),
      table_(stream.table),
      pictures_(stream.ready_times ? pictures : nullptr),
      batches_(table_),
      sizes_(table_),
      newest_of_call_(table_.definitions.calls().size()),
      by_parent_(std::find(plan_.keys.by().begin(), plan_.keys.by().end(),
                           ReportKey::kParent) != plan_.keys.by().end()),
      parents_(table_),
      values_(operationValues(table_)),
      starts_(table_, stream_.groups, sums_.group_starts_),
      small_calls_(table_),
      held_(table_),
      span_(operationSpan(table_)),
      time_(table_, stream.ready_times ? &stream.ready_times->ready : nullptr) {
  if (plan_.ready_times && stream.ready_times) {
    ready_times_.emplace(*plan_.ready_times, *stream.ready_times);
  }
}

void ReportSums::StreamAdder::addAll() {
  std::optional<ScopeFilter> filter;
  if (plan_.nodes) filter.emplace(plan_.scope, *plan_.nodes, table_);
  if (pictures_) pictures_->begin(*stream_.ready_times, span_);
  for (std::size_t i = 0; i < table_.operations.size(); ++i) {
    const AssembledOperation& op = table_.operations[i];
    const v1::Call* call = table_.callOf(op);
    if (call && call->simulated()) continue;
    if (filter && !filter->holds(op)) {
      ++sums_.out_of_scope_;
      continue;
    }
    add(i, call);
  }
  parents_.finish();
  time_.finish();
  const std::vector<StepWindow> steps = stepWindows(table_);
  if (stream_.ready_times) {
    sums_.steps_.add(*stream_.ready_times, steps, time_);
  }
  if (pictures_) pictures_->end();
  sums_.small_calls_.add(small_calls_);
  RankTotals rank;
  rank.rank = table_.header.rank();
  rank.run_ns = table_.rankTimeNs();
  rank.time = time_.over(absl::MakeConstSpan(&span_, 1)).front();
  rank.estimated_wait_ns = time_.estimatedWaitNs(steps);
  for (const auto& [key, part] : parts_) addTotals(*part, rank.totals);
  rank.totals.setTime(rank.time);
  starts_.finish(rank);
  if (!unseen_.empty()) addUnseen();
  sums_.ranks_.push_back({stream_.index, rank});
}

void ReportSums::StreamAdder::add(std::size_t operation, const v1::Call* call) {
  const AssembledOperation& op = table_.operations[operation];
  Part& part = partOf(operation, call);
  const bool is_unseen = hasUnseenWait(op, table_, batches_);
  const OperationSample sample = sampleOf(op);
  addTo(part.totals, op, sample,
        {part.captured, batches_.hasMember(op), is_unseen});
  if (by_parent_) parents_.add(op, part.row, part.totals);
  const auto values = values_.empty() ? values_.end() : values_.find(op.id);
  if (values != values_.end()) {
    part.totals.inputs.add(values->second.inputs);
    part.totals.outputs.add(values->second.outputs);
  }
  const std::uint64_t held_ns = held_.of(op);
  part.totals.held_ns += held_ns;
  const bool is_first = starts_.isFirst(op);
  if (is_first) {
    part.row->samples.addFirst(sample, part.size_number);
  } else {
    part.row->samples.add(sample, part.size_number);
  }
  if (is_unseen) {
    unseen_.push_back(
        {UnseenWaits::windowOf(op, table_), part.row, part.group});
  }
  const OperationSplit split =
      ready_times_ ? splitTime(*ready_times_, operation) : OperationSplit{};
  time_.add(operation, split, is_unseen);
  if (call) {
    starts_.add(op, part.group, durationOf(split, sample));
    small_calls_.add(op, *call, costNs(split, held_ns));
  }
  if (!ready_times_) return;
  addSplit(split, is_first, part);
  addReady(operation, split, part);
  if (!pictures_) return;
  pictures_->add(operation, split,
                 {part.size.message_bytes, part.size.bus_factor});
}

ReportSums::StreamAdder::Part& ReportSums::StreamAdder::partOf(
    std::size_t operation, const v1::Call* call) {
  const AssembledOperation& op = table_.operations[operation];
  const RowContext context = plan_.keys.contextOf(table_, op, sizes_);
  Newest& newest = call ? newest_of_call_[op.call] : without_call_;
  if (!newest.part || newest.context != context) {
    std::unique_ptr<Part>& made = parts_[{op.call, context}];
    if (!made)
      made = std::make_unique<Part>(makePart(operation, call, context));
    newest = {context, made.get()};
  }
  return *newest.part;
}

ReportSums::StreamAdder::Part ReportSums::StreamAdder::makePart(
    std::size_t operation, const v1::Call* call, const RowContext& context) {
  Part part;
  if (call) {
    const std::uint32_t local = table_.groupOf(*call);
    std::uint32_t group_size = 0;
    std::uint32_t group_rank = 0;
    if (local != StreamDefinitions::kNone) {
      part.group = stream_.groups[local];
      const GroupDefinition& group = table_.definitions.groups()[local];
      group_size = group.members.size();
      group_rank = group.group_rank;
    }
    part.bytes_in = call->bytes_in();
    part.bytes_out = call->bytes_out();
    part.captured = call->graph_plus_1() > 0;
    part.size.message_bytes =
        static_cast<double>(messageBytes(*call, group_size));
    part.size.bus_factor =
        busFactor(*call, group_size, group_rank).value_or(-1);
  }
  if (context.batch_bytes > 0) {
    part.size.message_bytes = static_cast<double>(context.batch_bytes);
    part.size.bus_factor = context.batch_bus_factor;
  }
  part.row = &sums_.rowFor(
      plan_.keys.textsOf(table_, call, context, part.group, stream_.catalog),
      {stream_.index, operation});
  part.size_number = part.row->samples.numberOf(part.size);
  return part;
}

void ReportSums::StreamAdder::addSplit(const OperationSplit& split,
                                       bool is_first, Part& part) {
  part.totals.split.add(split);
  SplitTotals& totals = part.row->splitOf(is_first);
  totals.add(split, windowOf(split), part.size.message_bytes,
             part.size.bus_factor);
}

void ReportSums::StreamAdder::addReady(std::size_t operation,
                                       const OperationSplit& split,
                                       Part& part) {
  const auto ready =
      split.ready ? split.ready : lastInRooted(*ready_times_, operation);
  if (!ready) return;
  if (!part.lateness) {
    part.lateness =
        &part.row->report_row.split.latenessOf(table_.header.rank());
  }
  part.lateness->add(*ready);
}

std::optional<std::size_t> ReportSums::StreamAdder::windowOf(
    const OperationSplit& split) const {
  if (!split.ready_ns) return std::nullopt;
  const std::int64_t since_ns = *split.ready_ns - plan_.ready_times->firstNs();
  if (since_ns < 0) return std::nullopt;
  const std::uint64_t window =
      static_cast<std::uint64_t>(since_ns) / plan_.window_ns;
  if (window >= Trend::kWindows) return std::nullopt;
  return window;
}

void ReportSums::StreamAdder::addTotals(const Part& part, CallTotals& rank) {
  CallTotals totals = part.totals;
  totals.bytes_in = totals.calls * part.bytes_in;
  totals.bytes_out = totals.calls * part.bytes_out;
  totals.bytes = totals.calls * std::max(part.bytes_in, part.bytes_out);
  sums_.all_.add(totals);
  rank.add(totals);
  part.row->report_row.totals.add(totals);
  if (part.group != GroupCatalog::kNone) {
    sums_.group_totals_[part.group].add(totals);
  }
}

void ReportSums::StreamAdder::addUnseen() {
  const UnseenWaits waits(table_);
  std::vector<UnseenWaits::Window> windows;
  const auto addBy = [&](auto Unseen::*key, auto totalsOf) {
    std::sort(unseen_.begin(), unseen_.end(),
              [key](const Unseen& a, const Unseen& b) {
                return std::less<>()(a.*key, b.*key);
              });
    for (auto from = unseen_.begin(); from != unseen_.end();) {
      const auto value = (*from).*key;
      windows.clear();
      for (; from != unseen_.end() && (*from).*key == value; ++from) {
        windows.push_back(from->window);
      }
      totalsOf(value).unseen_at_most_ns += waits.atMostNs(windows);
    }
  };
  addBy(&Unseen::row,
        [](Row* row) -> CallTotals& { return row->report_row.totals; });
  CallTotals no_group;
  addBy(&Unseen::group, [&](std::uint32_t group) -> CallTotals& {
    return group == GroupCatalog::kNone ? no_group : sums_.group_totals_[group];
  });
}

}  // namespace traced
