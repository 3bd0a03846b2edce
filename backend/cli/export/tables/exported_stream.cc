#include "cli/export/tables/exported_stream.h"

#include <algorithm>
#include <numeric>

#include "analysis/job/group_catalog.h"
#include "analysis/job/held_time.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/export/tables/table_file.h"

namespace traced {
namespace {

// Returns the messages of a stream that cannot be paired by number.
UnclearPairs unclearPairsOf(const StreamTable& table,
                            const std::vector<std::uint32_t>& groups) {
  UnclearPairs unclear;
  for (const v1::Call& call : table.definitions.calls()) {
    const std::uint32_t local = table.groupOf(call);
    if (local == StreamDefinitions::kNone || !isPointToPoint(call.op())) {
      continue;
    }
    unclear.add(groups[local], table.definitions.groups()[local].engine(),
                table.header.rank(), call);
  }
  return unclear;
}

// Returns the key that pairs the operation across ranks. Absent without a
// number or a group, and for messages that cannot be paired.
std::optional<OperationKey> keyOf(const ExportedCall& exported,
                                  std::uint32_t group,
                                  const UnclearPairs& unclear) {
  const bool is_numbered = exported.call && exported.op.seq > 0;
  if (!is_numbered || group == GroupCatalog::kNone) return std::nullopt;
  if (!isPointToPoint(exported.call->op())) return OperationKey{group};
  const auto peer = exported.table.peerOf(exported.op, *exported.call);
  if (!peer) return std::nullopt;
  const MessageEnds pair = messageEndsOf(group, exported.table.header.rank(),
                                         *peer, exported.call->op());
  if (unclear.contains(pair)) return std::nullopt;
  return OperationKey{group, pair.source, pair.destination};
}

// Returns how the time of an operation splits. The result is empty for
// simulated operations, which do not communicate.
OperationSplit splitOf(const ReadyRows& ready_times, std::size_t operation,
                       const v1::Call* call) {
  if (call && call->simulated()) return {};
  return splitTime(ready_times, operation);
}

}  // namespace

std::int64_t storedNumber(const ExportNumber& number) {
  if (number.kind == ExportNumber::Kind::kAbsent) return kNoValue;
  return number.kind == ExportNumber::Kind::kCount
             ? fitting(number.value)
             : static_cast<std::int64_t>(number.value);
}

StreamExporter::StreamExporter(const RunReadyTimes& run)
    : run_(run), order_(run.groups.groups().size()) {
  const std::vector<JobGroup>& groups = run.groups.groups();
  std::vector<std::uint32_t> by_label(order_.size());
  std::iota(by_label.begin(), by_label.end(), 0);
  std::sort(by_label.begin(), by_label.end(),
            [&](auto a, auto b) { return groups[a].label < groups[b].label; });
  for (std::size_t i = 0; i < by_label.size(); ++i) {
    order_[by_label[i]] = static_cast<std::uint32_t>(i);
  }
}

std::vector<std::uint64_t> StreamExporter::hashesOf(
    const StreamTable& table, const std::vector<std::uint32_t>& groups) {
  std::vector<std::uint64_t> hashes;
  HashedMembers hashed;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupDefinition& group = table.definitions.groups()[i];
    if (!hashed.canHash(group)) {
      hashes.push_back(0);
      continue;
    }
    const auto [found, is_new] = hash_of_group_.try_emplace(groups[i], 0);
    if (is_new) found->second = groupHash(table.header.attempt(), group);
    hashes.push_back(found->second);
  }
  return hashes;
}

RankTime StreamExporter::forEach(
    std::size_t stream, const StreamTable& table,
    const std::function<void(const ExportedOperation&)>& visit) {
  const std::vector<std::uint32_t>& groups = run_.groups_of[stream];
  const ReadyTable::Stream ready_stream(table, run_.clocks.models[stream],
                                        run_.clock_ids[stream], groups);
  const ReadyRows ready_times(run_.ready_times, ready_stream);
  const std::vector<std::uint64_t> hashes = hashesOf(table, groups);
  const UnclearPairs unclear = unclearPairsOf(table, groups);
  const ClockCursor clock(run_.clocks.models[stream]);
  const Batches batches(table);
  RankTime time(table, &ready_stream.ready);
  for (std::size_t i = 0; i < table.operations.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    const v1::Call* const call = table.callOf(op);
    const std::uint32_t local =
        call ? table.groupOf(*call) : StreamDefinitions::kNone;
    const std::uint32_t group =
        local == StreamDefinitions::kNone ? GroupCatalog::kNone : groups[local];
    ExportedOperation operation{
        exportedCall(table, op, run_.groups, groups, hashes, clock,
                     ready_stream.ready[i].at),
        splitOf(ready_times, i, call),
        group == GroupCatalog::kNone ? group : order_[group], std::nullopt};
    operation.key = keyOf(operation.call, group, unclear);
    if (!table.isSimulated(op)) {
      time.add(i, operation.split, hasUnseenWait(op, table, batches));
    }
    visit(operation);
  }
  time.finish();
  return time;
}

}  // namespace traced
