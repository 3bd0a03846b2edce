#include "analysis/compare/stream_sums.h"

#include <algorithm>

#include "analysis/figures/bandwidth.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/time_split/time_split.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

std::optional<double> asDouble(const std::optional<std::uint64_t>& ns) {
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns);
}

std::optional<double> asDouble(const std::optional<CertifiedTime>& time) {
  if (!time) return std::nullopt;
  return static_cast<double>(notBelowZero(time->ns));
}

OperationTimes timesOf(const AssembledOperation& op,
                       const OperationSplit& split) {
  OperationTimes times;
  const auto set = [&times](RunPart part, std::optional<double> ns) {
    times.parts[static_cast<std::size_t>(part)] = ns;
  };
  set(RunPart::kOwnCall, asDouble(between(op.issued, op.returned)));
  set(RunPart::kWaitForPeers, asDouble(split.wait_for_peers));
  set(RunPart::kTransfer, asDouble(split.transfer));
  set(RunPart::kExposed, asDouble(split.exposed_ns));
  times.ahead = asDouble(between(op.returned, op.wait_began));
  times.under_way = asDouble(between(op.issued, op.ended));
  if (split.wait_for_peers) {
    times.uncertain = static_cast<double>(offByNs(*split.wait_for_peers));
  }
  return times;
}

}  // namespace

StreamSums::StreamSums(const ReadyTable::Stream& stream,
                       const ReadyTable& ready_times,
                       const std::vector<std::uint32_t>& groups,
                       const std::vector<std::string>& identities,
                       const Stretches& stretches)
    : stream_(stream),
      table_(stream.table),
      ready_times_(ready_times, stream),
      groups_(groups),
      identities_(identities),
      stretches_(stretches),
      batches_(table_),
      wait_ends_(table_) {}

StreamSums::Sums StreamSums::addAll() && {
  for (std::size_t i = 0; i < table_.operations.size(); ++i) {
    const AssembledOperation& op = table_.operations[i];
    const v1::Call* call = table_.callOf(op);
    if (call && call->simulated()) continue;
    sums_.failed += op.failed;
    const auto stretch = stretches_.of(table_, op);
    if (stretch) add(i, op, call, *stretch);
  }
  const auto addCovered = [this](std::uint32_t stretch, RunPart part,
                                 CoveredTime& time) {
    const std::uint64_t ns = std::move(time).ns();
    if (ns == 0) return;
    sums_.figures.addCovered(stretch, part, static_cast<double>(ns));
  };
  for (auto& [stretch, covered] : covered_) {
    addCovered(stretch, RunPart::kOwnCall, covered.own_call);
    addCovered(stretch, RunPart::kWaitForPeers, covered.wait_for_peers);
    addCovered(stretch, RunPart::kTransfer, covered.transfer);
    addCovered(stretch, RunPart::kExposed, covered.exposed);
  }
  for (auto& [place, time] : waited_for_) {
    const auto& [key, rank] = place;
    const auto ns = static_cast<double>(std::move(time).ns());
    if (key == kAllKeys) {
      sums_.figures.addCausedInAll(rank, ns);
    } else {
      sums_.figures.addCaused(key, rank, ns);
    }
  }
  return std::move(sums_);
}

void StreamSums::add(std::size_t i, const AssembledOperation& op,
                     const v1::Call* call, std::uint32_t stretch) {
  FigureSums& sums = sums_.figures;
  const auto key = keyOf(op, call, bytesOfBatch(op));
  if (!key) {
    sums.leaveOut();
    return;
  }
  const OperationSplit split = splitTime(ready_times_, i);
  const std::uint64_t bytes =
      call ? std::max(call->bytes_in(), call->bytes_out()) : 0;
  sums.add(*key, stretch, bytes, timesOf(op, split));
  Covered& covered = covered_[stretch];
  covered.own_call.add(windowBetween(op.issued, op.returned));
  covered.exposed.add(windowBetween(op.blockedFrom(), op.blockedUntil()));
  const TimeWindow waiting = waitingWindow(stream_, i, split);
  covered.wait_for_peers.add(waiting);
  addWait(*key, waiting, split);
  covered.transfer.add(transferWindow(op, split));
  sums.addComputed(*key, table_.header.rank(),
                   asDouble(wait_ends_.untilIssue(op)));
  if (op.stack > 0) sums.addSite(*key, siteOf(op));
}

void StreamSums::addWait(std::uint32_t key, const TimeWindow& waiting,
                         const OperationSplit& split) {
  if (!split.awaited || split.awaited->ns == 0) return;
  const TimeWindow for_one = windowAt(
      Instant(waiting.end_ns), -static_cast<std::int64_t>(split.awaited->ns));
  waited_for_[{key, split.awaited->rank}].add(for_one);
  waited_for_[{kAllKeys, split.awaited->rank}].add(for_one);
}

std::uint64_t StreamSums::bytesOfBatch(const AssembledOperation& op) const {
  const BatchSize* batch = batches_.of(table_, op);
  return batch ? batch->message_bytes : 0;
}

std::optional<std::uint32_t> StreamSums::keyOf(const AssembledOperation& op,
                                               const v1::Call* call,
                                               std::uint64_t batch_bytes) {
  const auto [place, is_new] = keys_.try_emplace({op.call, batch_bytes});
  if (is_new) {
    place->second =
        sums_.figures.keyOf(call ? keyOf(*call, batch_bytes)
                                 : RunKey{kUnknownOperation, "-", "-", "-"});
  }
  return place->second;
}

RunKey StreamSums::keyOf(const v1::Call& call,
                         std::uint64_t batch_bytes) const {
  const std::uint32_t local = table_.groupOf(call);
  const bool known = local != StreamDefinitions::kNone;
  const std::uint32_t members =
      known ? table_.definitions.groups()[local].members.size() : 0;
  return {
      nameOf(call.op()), known ? identities_[groups_[local]] : "-",
      dtypeText(call),
      sizeBucket(batch_bytes > 0 ? batch_bytes : messageBytes(call, members))};
}

const std::string& StreamSums::siteOf(const AssembledOperation& op) {
  const auto [place, is_new] = sites_.try_emplace(op.stack);
  if (is_new) place->second = table_.siteOf(op);
  return place->second;
}

}  // namespace traced
