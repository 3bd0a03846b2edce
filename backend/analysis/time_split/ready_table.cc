#include "analysis/time_split/ready_table.h"

#include <algorithm>

#include "base/threads.h"
#include "trace_io/wrapping.h"

namespace traced {

OwnReadyTimes::OwnReadyTimes(const StreamTable& table,
                             absl::Span<const std::uint32_t> groups)
    : OwnReadyTimes(table, MatchedCalls(table, groups), readyTimes(table)) {}

OwnReadyTimes::OwnReadyTimes(const StreamTable& table,
                             const MatchedCalls& calls,
                             absl::Span<const ReadyTime> ready)
    : rank_(table.header.rank()), calls_(calls) {
  parts_.reserve(ready.size());
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    if (!calls_.of(op)) continue;
    parts_.push_back(
        {op.seq, ready[i].at, ready[i].earliest, op.call, op.failed});
  }
}

namespace {

// Below this number of parts, one thread is faster than starting others.
constexpr std::size_t kFewParts = 4096;

}  // namespace

std::optional<CommonInstant> ReadyTable::common(const ClockCursor& clock,
                                                std::uint32_t clock_id,
                                                Instant at, Instant earliest) {
  auto instant = common(clock, clock_id, at);
  const auto early_ns = between(earliest, at);
  if (!instant || !early_ns || *early_ns >= kLatestNs) return std::nullopt;
  instant->early_ns = static_cast<std::int64_t>(*early_ns);
  return instant;
}

std::optional<CommonInstant> ReadyTable::common(const ClockCursor& clock,
                                                std::uint32_t clock_id,
                                                Instant instant) {
  if (!instant.known() || !differencesFit(instant.ns())) return std::nullopt;
  const auto certified = clock.certifiedNs(instant.ns());
  if (!certified || !differencesFit(certified->low_ns) ||
      !differencesFit(certified->high_ns)) {
    return std::nullopt;
  }
  return CommonInstant{
      std::clamp(clock.commonNs(instant.ns()), certified->low_ns,
                 std::max(certified->low_ns, certified->high_ns)),
      instant.ns(), *certified, clock_id};
}

void ReadyTable::add(const OwnReadyTimes& ready_times,
                     const v1::ClockModel& clock, std::uint32_t clock_id) {
  if (shards_.size() == 1 || ready_times.parts().size() <= kFewParts) {
    span_.add(add(std::nullopt, ready_times, clock, clock_id));
    return;
  }
  std::vector<Span> spans(shards_.size());
  inThreads(shards_.size(), [&](std::size_t shard) {
    spans[shard] = add(shard, ready_times, clock, clock_id);
  });
  for (const Span& span : spans) span_.add(span);
}

ReadyTable::Span ReadyTable::add(std::optional<std::size_t> only,
                                 const OwnReadyTimes& ready_times,
                                 const v1::ClockModel& clock,
                                 std::uint32_t clock_id) {
  const ClockCursor cursor(clock);
  Span span;
  // Per shard and call.
  std::vector<OperationIndex::Numbers*> numbers_of(shards_.size() *
                                                   ready_times.calls().size());
  for (const OwnReadyTimes::Part& part : ready_times.parts()) {
    const std::size_t shard_index = shardOf(part.seq);
    if (only.value_or(shard_index) != shard_index) continue;
    Shard& shard = shards_[shard_index];
    const MatchedCall& call = ready_times.calls()[part.call];
    OperationIndex::Numbers*& numbers =
        numbers_of[shard_index * ready_times.calls().size() + part.call];
    if (!numbers) numbers = &shard.index.numbersOf(call.key);
    const std::uint32_t number =
        OperationIndex::at(*numbers, inShard(part.seq), shard.count);
    if (number == shard.count) shard.append().signature = call.signature;
    Row& row = shard.row(number);
    ++row.parts;
    row.unusable |= part.failed || row.signature != call.signature;
    const auto ready = common(cursor, clock_id, part.at, part.earliest);
    if (!ready) continue;
    row.addParticipant(*ready);
    if (!call.role.proven) continue;
    row.join(*ready, ready_times.rank());
    span.add({ready->ns, ready->ns});
  }
  return span;
}

ReadyTable::Row& ReadyTable::Shard::append() {
  if (count % kRows == 0) pages.push_back(std::make_unique<Row[]>(kRows));
  return row(count++);
}

void ReadyTable::Span::add(const Span& other) {
  first_ns = std::min(first_ns, other.first_ns);
  last_ns = std::max(last_ns, other.last_ns);
}

ReadyRows::ReadyRows(const ReadyTable& ready_times,
                     const ReadyTable::Stream& stream)
    : ready_times_(ready_times), stream_(stream) {
  of_call_.reserve(ready_times.shards_.size() * stream.calls.all().size());
  for (const MatchedCall& call : stream.calls.all()) {
    for (const ReadyTable::Shard& shard : ready_times.shards_) {
      of_call_.push_back(call.usable ? shard.index.knownNumbersOf(call.key)
                                     : nullptr);
    }
  }
}

}  // namespace traced
