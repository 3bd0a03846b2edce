#include "truth/contents.h"

#include <algorithm>
#include <bit>
#include <set>

#include "base/transfers.h"
#include "truth/random.h"
#include "truth/wiring.h"

namespace traced::truth {
namespace {

constexpr std::uint64_t kElementBytes = 4;

Operation operationOf(const Called& call) {
  return static_cast<Operation>(call.op);
}

// Returns the elements of the part that goes to or comes from a group rank.
std::uint64_t elementsOf(const Called& call,
                         const std::vector<std::int64_t>& splits,
                         std::uint32_t part) {
  return splits.empty() ? call.elements
                        : static_cast<std::uint64_t>(splits[part]);
}

// Returns when the program learns of the end.
std::int64_t knownAt(const Happened& op) {
  return op.wait_ended != kNever ? op.wait_ended : op.stamped;
}

}  // namespace

Contents::Contents(const Program& program, const History& history)
    : program_(program), history_(history) {
  constexpr std::size_t kMostOperations = 5000;
  Random random(program.seed, {31});
  std::size_t operations = 0;
  for (const RankHistory& rank : history.ranks) {
    operations += rank.operations.size();
    nan_in_.emplace_back(rank.operations.size());
    nan_out_.emplace_back(rank.operations.size());
  }
  // What cross-wired or mismatched calls transfer is not modelled.
  recorded_ = has(program.features, Feature::kValues) && random.oneIn(3) &&
              operations <= kMostOperations && !sharesNames(program) &&
              !history.out_of_step;
  if (!recorded_) return;
  planted_.kind = random.oneOf(
      {ContentFault::kNone, ContentFault::kCorrupted, ContentFault::kNan});
  plant();
  spreadNan();
}

// The root of a broadcast compares with itself, and only sums show what went
// wrong in a reduction for one rank.
bool Contents::canBeFound(std::uint32_t rank, const Called& call) const {
  if (call.op == v1::OPERATION_BROADCAST && reads(rank, call)) return false;
  return transferKind(operationOf(call)) != TransferKind::kReducesApart ||
         call.reduce_op == v1::REDUCE_OP_SUM;
}

// Chooses the operation.
void Contents::plant() {
  if (planted_.kind == ContentFault::kNone) return;
  std::vector<PlantedContent> all;
  for (std::uint32_t rank = 0; rank < history_.ranks.size(); ++rank) {
    const auto& operations = history_.ranks[rank].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Called& call = operations[i].call;
      const bool fits =
          planted_.kind == ContentFault::kNan
              ? reads(rank, call)
              : !hashes(rank, i, ExaminedAt::kEnd).empty() &&
                    history_.groups[call.group].members.size() > 1 &&
                    canBeFound(rank, call);
      if (fits && operations[i].ended != kNever && !operations[i].failed) {
        all.push_back({planted_.kind, rank, i});
      }
    }
  }
  if (all.empty()) {
    planted_.kind = ContentFault::kNone;
  } else {
    planted_ = all[Random(program_.seed, {32}).below(all.size())];
  }
}

// A rank that has NaN puts it into everything that it sends. A result with NaN
// gives it to the rank.
void Contents::spreadNan() {
  if (planted_.kind != ContentFault::kNan) return;
  struct Event {
    std::int64_t at;
    bool is_end;
    std::uint32_t rank;
    std::uint32_t operation;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  for (std::uint32_t rank = 0; rank < history_.ranks.size(); ++rank) {
    const auto& operations = history_.ranks[rank].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (operations[i].issued == kNever) continue;
      events.push_back({operations[i].issued, false, rank, i});
      const std::int64_t known = knownAt(operations[i]);
      if (known == kNever || operations[i].failed) continue;
      events.push_back({known, true, rank, i});
    }
  }
  std::sort(events.begin(), events.end());
  std::vector<bool> has_nan(history_.ranks.size());
  std::set<Key> tainted;
  for (const Event& event : events) {
    const Happened& op = history_.ranks[event.rank].operations[event.operation];
    if (!event.is_end) {
      const bool begins =
          planted_.rank == event.rank && planted_.operation == event.operation;
      if (begins) has_nan[event.rank] = true;
      if (!has_nan[event.rank] || !reads(event.rank, op.call)) continue;
      nan_in_[event.rank][event.operation] = true;
      tainted.insert(keyOf(event.rank, op));
    } else if (tainted.contains(keyOf(event.rank, op)) &&
               fills(event.rank, op.call)) {
      nan_out_[event.rank][event.operation] = true;
      has_nan[event.rank] = true;
    }
  }
}

std::uint32_t Contents::groupRank(std::uint32_t rank,
                                  const Called& call) const {
  return history_.groups[call.group].indexOf(rank);
}

Contents::Key Contents::keyOf(std::uint32_t rank, const Happened& op) const {
  const Called& call = op.call;
  if (call.peer_plus_1 == 0) return {call.group, ~0U, ~0U, op.seq};
  const std::uint32_t self = groupRank(rank, call);
  const std::uint32_t peer = call.peer_plus_1 - 1;
  const bool sends = call.op == v1::OPERATION_SEND;
  return {call.group, sends ? self : peer, sends ? peer : self, op.seq};
}

bool Contents::reads(std::uint32_t rank, const Called& call) const {
  if (call.op == v1::OPERATION_BARRIER || call.op == v1::OPERATION_RECV) {
    return false;
  }
  return !readsAtRootOnly(operationOf(call)) ||
         call.root_plus_1 == groupRank(rank, call) + 1;
}

bool Contents::fills(std::uint32_t rank, const Called& call) const {
  if (call.op == v1::OPERATION_BARRIER || call.op == v1::OPERATION_SEND) {
    return false;
  }
  return !fillsAtRootOnly(operationOf(call)) ||
         call.root_plus_1 == groupRank(rank, call) + 1;
}

std::vector<HashRow> Contents::hashes(std::uint32_t rank,
                                      std::uint32_t operation,
                                      ExaminedAt at) const {
  const Happened& op = history_.ranks[rank].operations[operation];
  const Called& call = op.call;
  const TransferKind kind = transferKind(operationOf(call));
  const bool is_end = at == ExaminedAt::kEnd;
  const bool has_part = is_end ? fills(rank, call) : reads(rank, call);
  const bool may_change = at == ExaminedAt::kInputEnd && isInPlace(call.op);
  std::vector<HashRow> rows;
  if (kind == TransferKind::kNone || !has_part || may_change) return rows;
  const auto size =
      static_cast<std::uint32_t>(history_.groups[call.group].members.size());
  const std::uint32_t self = groupRank(rank, call);
  const bool reduces_inputs = reduces(kind);
  const bool sends_apart = sendsOwnPartToEach(operationOf(call));
  // Each received part has a sender, if there are several.
  const bool receives_apart = call.op == v1::OPERATION_ALL_GATHER ||
                              call.op == v1::OPERATION_ALL_GATHER_INTO_TENSOR ||
                              call.op == v1::OPERATION_GATHER ||
                              call.op == v1::OPERATION_ALL_TO_ALL_SINGLE;
  const bool in_parts = is_end ? receives_apart : sends_apart;
  const auto [group, from, to, number] = keyOf(rank, op);
  for (std::uint32_t part = 0; part < (in_parts ? size : 1); ++part) {
    const std::uint32_t root = call.root_plus_1 > 0 ? call.root_plus_1 - 1 : 0;
    const std::uint32_t source = call.peer_plus_1 > 0 ? from
                                 : !is_end            ? self
                                 : receives_apart     ? part
                                                      : root;
    const std::uint32_t destination = !sends_apart ? 0 : (is_end ? self : part);
    // The result of a reduction is the sum of the inputs.
    std::uint64_t sum = 0;
    for (std::uint32_t each = 0; each < size; ++each) {
      const bool counts = !is_end || !reduces_inputs ? each == source : true;
      if (counts) {
        sum += Random(program_.seed,
                      {33, group, from, to, number, each, destination})
                   .below(1000);
      }
    }
    HashRow row;
    row.at = static_cast<std::uint32_t>(at);
    row.rank_plus_1 = in_parts ? part + 1 : 0;
    row.bytes = kElementBytes *
                elementsOf(call, is_end ? call.split_out : call.split_in, part);
    const bool is_corrupted = planted_.kind == ContentFault::kCorrupted &&
                              planted_.rank == rank &&
                              planted_.operation == operation && is_end &&
                              part == (in_parts ? number % size : 0);
    if (is_corrupted) sum += 1'000'000;
    row.hash = Random(program_.seed,
                      {34, group, from, to, number, source, destination, sum})
                   .next();
    if (reduces_inputs && call.reduce_op == v1::REDUCE_OP_SUM &&
        at != ExaminedAt::kInputEnd) {
      row.summed = 1;
      const bool is_integer = call.dtype == v1::DTYPE_INT32;
      row.sum_bits =
          is_integer ? sum
                     : std::bit_cast<std::uint64_t>(static_cast<double>(sum));
      row.norm_bits = std::bit_cast<std::uint64_t>(1000.0);
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<StatisticsRow> Contents::statistics(std::uint32_t rank,
                                                std::uint32_t operation,
                                                ExaminedAt at) const {
  const Called& call = history_.ranks[rank].operations[operation].call;
  const bool is_end = at == ExaminedAt::kEnd;
  if (is_end ? !fills(rank, call) : !reads(rank, call)) return {};
  StatisticsRow row;
  row.at = static_cast<std::uint32_t>(at);
  row.elements = call.elements;
  if ((is_end ? nan_out_ : nan_in_)[rank][operation]) row.nan = 1;
  const bool has_finite = row.nan < row.elements;
  row.norm_bits = row.maximum_bits =
      std::bit_cast<std::uint64_t>(has_finite ? 1.0 : 0.0);
  return {row};
}

}  // namespace traced::truth
