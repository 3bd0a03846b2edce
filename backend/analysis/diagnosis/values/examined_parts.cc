#include "analysis/diagnosis/values/examined_parts.h"

#include <algorithm>
#include <tuple>

#include "analysis/diagnosis/values/tensor_types.h"
#include "analysis/stream/operation_kinds.h"
#include "base/examined.h"
#include "base/transfers.h"

namespace traced {

void Holders::add(std::uint32_t rank) {
  if (!ranges.empty() && std::uint64_t{ranges.back().second} + 1 == rank) {
    ranges.back().second = rank;
  } else {
    ranges.emplace_back(rank, rank);
  }
}

std::vector<std::uint32_t> Holders::ranks() const {
  std::vector<std::uint32_t> all;
  for (const auto& [first, last] : ranges) {
    for (std::uint64_t rank = first; rank <= last; ++rank) {
      all.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return all;
}

// One rank's part in a call.
struct ExaminedParts::Call {
  const v1::Call& described;
  Operation op{};
  OperationKey key;
  TransferKind transfer = TransferKind::kNone;
  // The rank itself: globally, and in the group plus 1.
  std::uint32_t rank = 0;
  std::uint32_t self_plus_1 = 0;
  std::uint32_t root_plus_1 = 0;
  bool is_async = false;

  bool isMessage() const { return isPointToPoint(op); }
  // The operation, equal on both sides of a message.
  Operation kind() const { return isMessage() ? Operation::kSend : op; }

  // Returns the sender of what the row describes, as a group rank plus 1. 0 for
  // the only sender of a message, and for a result.
  std::uint32_t sourceOf(const HashRow& row) const {
    if (isMessage() || reduces(transfer)) return 0;
    if (!isAt(row, ExaminedAt::kEnd)) return self_plus_1;
    return row.rank_plus_1 > 0 ? row.rank_plus_1 : root_plus_1;
  }
  // The same for the receiver. 0 if all receivers get the same.
  std::uint32_t destinationOf(const HashRow& row) const {
    if (!sendsOwnPartToEach(op)) return 0;
    return isAt(row, ExaminedAt::kEnd) ? self_plus_1 : row.rank_plus_1;
  }
  // Returns whether the row shows the sender's own memory after the end.
  bool isOwnEnd(const HashRow& row) const {
    const bool is_root =
        op == Operation::kBroadcast && root_plus_1 == self_plus_1;
    return isAt(row, ExaminedAt::kInputEnd) ||
           (is_root && isAt(row, ExaminedAt::kEnd));
  }
};

void ExaminedParts::add(const ExaminedStream& stream) {
  const StreamTable& table = stream.table();
  own_inputs_.clear();
  for (const HashRow& row : table.hashes) {
    const auto found = stream.operations().find(row.op);
    if (row.skipped != 0 || !found) continue;
    const GroupDefinition& group =
        table.definitions.groups()[table.groupOf(found->call)];
    const Operation operation = toOperation(found->call.op());
    addRow(row,
           {found->call, operation, found->match.key, transferKind(operation),
            table.header.rank(), group.group_rank + 1,
            found->call.root_plus_1(), !waitsAtOnce(found->call)},
           found->op.seq);
  }
}

void ExaminedParts::addRow(const HashRow& row, const Call& call,
                           std::uint64_t seq) {
  if (call.transfer == TransferKind::kNone) return;
  const std::uint32_t number = numberOf(call, seq);
  if (operations_[number].op != call.kind()) return;
  const Key key{number, row.tensor, call.sourceOf(row),
                call.destinationOf(row)};
  Part* const part = partOf(key, row);
  if (!part) return;
  part->is_async |= call.is_async;
  if (reduces(call.transfer)) return addReductionRow(key, row, call, *part);
  if (isAt(row, ExaminedAt::kIssue)) {
    part->is_unclear |= part->is_sent;
    part->is_sent = true;
    part->sent_hash = row.hash;
    part->sender = call.rank;
  } else if (call.isOwnEnd(row)) {
    const bool is_equal = part->is_sent && part->sent_hash == row.hash;
    (is_equal ? part->unchanged : part->changed) |= part->is_sent;
  } else if (isAt(row, ExaminedAt::kEnd)) {
    part->is_unclear |= !addHolder(row.hash, call.rank, part->holders);
  }
}

void ExaminedParts::addReductionRow(const Key& key, const HashRow& row,
                                    const Call& call, Part& part) {
  if (isAt(row, ExaminedAt::kInputEnd)) {
    const auto at_issue = own_inputs_.find(key);
    if (at_issue == own_inputs_.end() || at_issue->second == row.hash) return;
    part.changed = true;
    changed_inputs_[key].push_back(call.rank);
    return;
  }
  const bool is_input = isAt(row, ExaminedAt::kIssue);
  if (is_input) {
    part.is_unclear |= !own_inputs_.try_emplace(key, row.hash).second;
  } else {
    part.is_unclear |= !addHolder(row.hash, call.rank, part.holders);
  }
  if (row.summed == 0 && !additions_.contains(key)) return;
  Addition& addition = additions_[key];
  if (is_input) {
    addition.inputs.add(PartSum(row), outputType(call.described, row.tensor));
    return;
  }
  // A result without a sum leaves its place empty.
  while (addition.results.size() + 1 < part.holders.size()) {
    addition.results.emplace_back(HashRow());
  }
  if (addition.results.size() < part.holders.size()) {
    addition.results.emplace_back(row);
  }
}

bool ExaminedParts::addHolder(std::uint64_t hash, std::uint32_t rank,
                              absl::InlinedVector<Holders, 1>& holders) {
  constexpr std::size_t kMaxHashes = 64;
  for (const Holders& each : holders) {
    if (each.ranges.back().second == rank) return false;
  }
  auto same =
      std::find_if(holders.begin(), holders.end(),
                   [&](const Holders& each) { return each.hash == hash; });
  if (same == holders.end()) {
    if (holders.size() == kMaxHashes) return false;
    same = holders.insert(same, Holders{hash, {}, {}});
  }
  same->add(rank);
  return true;
}

ExaminedParts::Part* ExaminedParts::partOf(const Key& key, const HashRow& row) {
  const auto found = parts_.find(key);
  if (found == parts_.end()) {
    if (parts_.size() >= kMaxParts) return nullptr;
    Part& part = parts_[key];
    part.bytes = row.bytes;
    return &part;
  }
  found->second.is_unclear |= found->second.bytes != row.bytes;
  return &found->second;
}

std::uint32_t ExaminedParts::numberOf(const Call& call, std::uint64_t seq) {
  const auto next = static_cast<std::uint32_t>(operations_.size());
  const std::uint32_t number = index_.at(call.key, seq, next);
  if (number == next) operations_.push_back({call.key, seq, call.kind()});
  return number;
}

std::optional<bool> ExaminedParts::addsUp(const Key& key, const Part& part,
                                          std::size_t result) const {
  const auto addition = additions_.find(key);
  if (addition == additions_.end() ||
      result >= addition->second.results.size()) {
    return std::nullopt;
  }
  const OperationKey& operation = operations_[key.operation].key;
  return addition->second.inputs.explains(
      addition->second.results[result], part.bytes,
      catalog_.groups()[operation.group].members.size());
}

PartDifference ExaminedParts::differenceOf(const Key& key,
                                           const Part& part) const {
  const NumberedOperation& operation = operations_[key.operation];
  PartDifference difference;
  difference.operation = operation.key;
  difference.seq = operation.seq;
  difference.op = operation.op;
  difference.tensor = key.tensor;
  difference.bytes = part.bytes;
  if (part.is_sent) {
    difference.sender = part.sender;
  } else if (isPointToPoint(operation.op)) {
    difference.sender = operation.key.source;
  } else if (key.source_plus_1 > 0) {
    difference.sender = catalog_.groups()[operation.key.group].members.at(
        key.source_plus_1 - 1);
  }
  if (part.is_sent) difference.sent = part.sent_hash;
  difference.changed = part.changed;
  if (const auto changed = changed_inputs_.find(key);
      changed != changed_inputs_.end()) {
    difference.changed_by = changed->second;
  } else if (part.changed) {
    difference.changed_by = {part.sender};
  }
  difference.destination_plus_1 = key.destination_plus_1;
  difference.is_sure =
      !part.is_async &&
      (key.source_plus_1 == 0 && !part.is_sent ? !isPointToPoint(operation.op)
                                               : part.unchanged);
  difference.holders.assign(part.holders.begin(), part.holders.end());
  for (std::size_t i = 0; i < part.holders.size(); ++i) {
    difference.holders[i].adds_up = addsUp(key, part, i);
  }
  return difference;
}

std::vector<PartDifference> ExaminedParts::differences() const {
  std::vector<PartDifference> found;
  for (const auto& [key, part] : parts_) {
    if (part.is_unclear) continue;
    const bool differ =
        part.holders.size() > 1 ||
        (!part.holders.empty() &&
         ((part.is_sent && part.holders.front().hash != part.sent_hash) ||
          addsUp(key, part, 0) == false));
    if (part.changed || differ) found.push_back(differenceOf(key, part));
  }
  const auto order = [](const PartDifference& each) {
    return std::tuple(each.operation.group, each.seq, each.operation.source,
                      each.operation.destination, each.sender, each.tensor,
                      each.destination_plus_1);
  };
  std::sort(found.begin(), found.end(),
            [&](const PartDifference& a, const PartDifference& b) {
              return order(a) < order(b);
            });
  return found;
}

}  // namespace traced
