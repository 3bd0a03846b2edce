#include "analysis/report/row_samples.h"

#include <utility>

#include "analysis/figures/bandwidth.h"

namespace traced {

OperationSample sampleOf(const AssembledOperation& op) {
  OperationSample sample;
  sample.host_ns = between(op.issued, op.returned);
  sample.wait_ns = between(op.wait_began, op.wait_ended);
  // A failed operation has no meaningful completion time.
  if (!op.failed) sample.completion_ns = between(op.issued, op.ended);
  return sample;
}

void addTo(CallTotals& totals, const AssembledOperation& op,
           const OperationSample& sample, const OperationMode& mode) {
  ++totals.calls;
  if (sample.host_ns) totals.host.add(*sample.host_ns);
  if (sample.completion_ns) totals.completion.add(*sample.completion_ns);
  if (sample.wait_ns) totals.wait.add(*sample.wait_ns);
  totals.failed += op.failed;
  totals.captured += mode.captured;
  const bool no_end = !mode.captured && op.state() == OperationState::kIssued;
  totals.ends_unknown += no_end && !mode.in_batch;
  totals.ends_with_batch += no_end && mode.in_batch;
  totals.waits_unknown += mode.unseen_wait;
  if (!op.ended.known()) return;
  totals.ends_at_wait += op.end_source == v1::END_SOURCE_WAIT;
  totals.ends_by_future += op.end_source == v1::END_SOURCE_FUTURE;
  totals.ends_at_hook += op.end_source == v1::END_SOURCE_COMPLETION_HOOK;
}

namespace {

bool hasBandwidth(const CallSize& size) {
  return size.bus_factor >= 0 && size.message_bytes != 0;
}

// Returns the bandwidth in 1e9 bytes per second, which equals bytes per
// nanosecond.
double algbwOf(const CallSize& size, std::uint64_t ns) {
  return size.message_bytes / static_cast<double>(ns);
}

}  // namespace

std::size_t RowSamples::numberOf(const CallSize& size) {
  const auto [entry, is_new] = numbers_.try_emplace(size, of_sizes_.size());
  if (is_new) of_sizes_.push_back({size, {}});
  return entry->second;
}

void RowSamples::add(RowSamples&& other) {
  later_ += other.later_;
  for (const First& first : other.first_) {
    addFirst(first.sample, numberOf(other.of_sizes_[first.size_number].size));
  }
  host_ns_.add(std::move(other.host_ns_));
  wait_ns_.add(std::move(other.wait_ns_));
  for (OfOneSize& from : other.of_sizes_) {
    of_sizes_[numberOf(from.size)].completion_ns.add(
        std::move(from.completion_ns));
  }
}

void RowSamples::addFirst(ReportRow& row) const {
  const auto add = [](TimeSummary& time, const auto& ns) {
    if (!ns) return;
    ++time.count;
    time.total_ns += *ns;
  };
  for (const First& first : first_) {
    add(row.host, first.sample.host_ns);
    add(row.completion, first.sample.completion_ns);
    add(row.wait, first.sample.wait_ns);
  }
}

void RowSamples::summarize(ReportRow& row) && {
  row.left_out = leftOut();
  if (later_ == 0) {
    for (const First& first : first_) add(first.sample, first.size_number);
  }
  row.host = std::move(host_ns_).summarize();
  row.wait = std::move(wait_ns_).summarize();
  setBandwidths(row);
  Samples completion_ns;
  for (OfOneSize& of_size : of_sizes_) {
    completion_ns.add(std::move(of_size.completion_ns));
  }
  row.completion = std::move(completion_ns).summarize();
  if (row.left_out > 0) addFirst(row);
}

void RowSamples::setBandwidths(ReportRow& row) const {
  Weighted algbw_gbs, busbw_gbs;
  for (const OfOneSize& of_size : of_sizes_) {
    if (!hasBandwidth(of_size.size)) continue;
    of_size.completion_ns.each([&](std::uint64_t ns, std::uint64_t count) {
      if (ns == 0) return;
      const double algbw = algbwOf(of_size.size, ns);
      algbw_gbs.emplace_back(algbw, count);
      busbw_gbs.emplace_back(algbw * of_size.size.bus_factor, count);
    });
  }
  if (algbw_gbs.empty()) return;
  row.algbw_gbs = medianOf(algbw_gbs);
  row.busbw_gbs = medianOf(busbw_gbs);
}

namespace {

BatchSize sizeOf(const StreamTable& table, const v1::Call& call) {
  const std::uint32_t group = table.groupOf(call);
  const GroupDefinition* known = group == StreamDefinitions::kNone
                                     ? nullptr
                                     : &table.definitions.groups()[group];
  const std::uint32_t group_size = known ? known->members.size() : 0;
  BatchSize size;
  size.message_bytes = messageBytes(call, group_size);
  const auto factor =
      busFactor(call, group_size, known ? known->group_rank : 0);
  size.has_bandwidth = factor.has_value();
  size.bus_bytes = static_cast<double>(size.message_bytes) * factor.value_or(0);
  return size;
}

}  // namespace

BatchSizes::BatchSizes(const StreamTable& table) {
  if (table.lostSomething()) return;
  absl::flat_hash_map<std::uint32_t, BatchSize> by_call;
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = op.batch > 0 ? table.callOf(op) : nullptr;
    if (!call || call->op() == v1::OPERATION_COALESCED) continue;
    const auto [known, is_new] = by_call.try_emplace(op.call);
    if (is_new) known->second = sizeOf(table, *call);
    BatchSize& batch = sizes_[op.batch];
    batch.message_bytes += known->second.message_bytes;
    batch.bus_bytes += known->second.bus_bytes;
    batch.has_bandwidth &= known->second.has_bandwidth;
  }
}

const BatchSize* BatchSizes::of(const StreamTable& table,
                                const AssembledOperation& op) const {
  if (op.batch == 0) return nullptr;
  const v1::Call* call = table.callOf(op);
  if (!call || call->op() != v1::OPERATION_COALESCED) return nullptr;
  const auto found = sizes_.find(op.batch);
  return found == sizes_.end() ? nullptr : &found->second;
}

}  // namespace traced
