#include "analysis/match/match_entry.h"

#include <algorithm>
#include <optional>

#include "analysis/stream/clock_models.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {

MatchEntry matchEntryOf(const LoadedRun& run, const LoadedRun::Stream& stream,
                        const Batches& batches, const AssembledOperation& op,
                        std::uint64_t taken) {
  MatchEntry entry;
  entry.issue_ns = commonNs(stream.clock, op.issued.ns());
  entry.seq = taken;
  const v1::Call* call = stream.table.callOf(op);
  if (!call) return entry;
  entry.group = run.groupOf(stream, *call);
  if (call->op() == v1::OPERATION_COALESCED) {
    const Batch* batch = batches.of(op);
    const auto* first = batch ? batch->first_collective : nullptr;
    entry.seq = first ? first->seq : 0;
    const bool matches = entry.seq > 0 && entry.group != GroupCatalog::kNone;
    if (matches) entry.kind = MatchKind::kBatch;
    return entry;
  }
  const bool numbered = taken > 0 && entry.group != GroupCatalog::kNone;
  if (!isPointToPoint(call->op())) {
    if (numbered) entry.kind = MatchKind::kCollective;
    return entry;
  }
  const std::int64_t self = stream.table.header.rank();
  const std::optional<std::uint32_t> known = stream.table.peerOf(op, *call);
  const std::int64_t peer = known ? std::int64_t{*known} : MatchEntry::kNoRank;
  const bool sends = call->op() == v1::OPERATION_SEND;
  entry.source = sends ? self : peer;
  entry.destination = sends ? peer : self;
  if (numbered && peer != MatchEntry::kNoRank)
    entry.kind = MatchKind::kPointToPoint;
  return entry;
}

void NotKept::add(const MatchEntry& entry) {
  first_ns_ = std::min(first_ns_, entry.issue_ns);
  last_ns_ = std::max(last_ns_, entry.issue_ns);
  if (entry.kind == MatchKind::kAlone) return;
  Numbers& numbers = numbers_[entry.line()];
  numbers.first = std::min(numbers.first, entry.seq);
  numbers.last = std::max(numbers.last, entry.seq);
}

bool NotKept::mayHave(const Line& line, std::uint64_t seq) const {
  const auto found = numbers_.find(line);
  return found != numbers_.end() && found->second.first <= seq &&
         seq <= found->second.last;
}

bool NotKept::mayShareRow(const MatchEntry& entry) const {
  return entry.kind != MatchKind::kAlone && mayHave(entry.line(), entry.seq);
}

bool NotKept::mayHaveCollective(std::uint32_t group, std::uint64_t seq) const {
  MatchEntry collective;
  collective.group = group;
  collective.kind = MatchKind::kCollective;
  return mayHave(collective.line(), seq);
}

}  // namespace traced
