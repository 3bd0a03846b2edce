#include "analysis/job/dependency.h"

#include <algorithm>

namespace traced {
namespace {

enum class Pattern {
  kNone,
  kAll,         // any on any
  kFromEach,    // any on any, source known per output
  kBySplits,    // any on any, source known per split
  kFromRoot,    // all others on the root
  kToRoot,      // the root on any
  kGatherRoot,  // the root on any, per output
  kReceive,
  kSend,
};

Pattern patternOf(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_ALL_REDUCE:
    case v1::OPERATION_ALL_REDUCE_COALESCED:
    case v1::OPERATION_ALL_REDUCE_SPARSE:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED:
    case v1::OPERATION_REDUCE_SCATTER:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED:
    case v1::OPERATION_BARRIER:
    case v1::OPERATION_MONITORED_BARRIER:
      return Pattern::kAll;
    case v1::OPERATION_ALL_GATHER:
    case v1::OPERATION_ALL_GATHER_COALESCED:
    case v1::OPERATION_ALL_TO_ALL:
      return Pattern::kFromEach;
    case v1::OPERATION_ALL_TO_ALL_SINGLE:
      return Pattern::kBySplits;
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_SCATTER:
      return Pattern::kFromRoot;
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return Pattern::kToRoot;
    case v1::OPERATION_GATHER:
      return Pattern::kGatherRoot;
    case v1::OPERATION_RECV:
      return Pattern::kReceive;
    case v1::OPERATION_SEND:
      return Pattern::kSend;
    default:
      return Pattern::kNone;
  }
}

bool isBarrier(v1::Operation op) {
  return op == v1::OPERATION_BARRIER || op == v1::OPERATION_MONITORED_BARRIER;
}

// Returns whether the rank received or combined any bytes. Always true for a
// barrier.
bool carriesBytes(const v1::Call& call) {
  if (isBarrier(call.op())) return true;
  return call.bytes_out() > 0 || (call.in_place() && call.bytes_in() > 0);
}

bool isEmpty(const v1::TensorRun& run) {
  return std::any_of(run.shape().begin(), run.shape().end(),
                     [](std::int64_t extent) { return extent <= 0; });
}

bool noOutputIsEmpty(const v1::Call& call) {
  return call.tensors_cut() == 0 &&
         std::none_of(call.output().begin(), call.output().end(), isEmpty);
}

// Returns whether output `index`, with one output per member, is known to have
// elements.
bool outputHasElements(const v1::Call& call, std::uint32_t group_size,
                       std::uint32_t index) {
  if (call.tensors_out() != group_size) return noOutputIsEmpty(call);
  std::uint64_t end = 0;
  for (const v1::TensorRun& run : call.output()) {
    end += std::max(run.count(), 1u);
    if (index < end) return !isEmpty(run);
  }
  return false;
}

bool splitHasElements(const v1::Call& call, std::uint32_t index) {
  if (call.split_out().empty()) return call.splits_cut() == 0;
  return index < static_cast<std::uint32_t>(call.split_out_size()) &&
         call.split_out(static_cast<int>(index)) > 0;
}

// Returns whether every split except that of `self` is known to have elements.
bool otherSplitsHaveElements(const v1::Call& call, std::uint32_t group_size,
                             std::uint32_t self) {
  if (call.split_out().empty()) return call.splits_cut() == 0;
  const auto known = static_cast<std::uint32_t>(call.split_out_size());
  if (known < group_size) return false;
  for (std::uint32_t i = 0; i < known; ++i) {
    if (i != self && call.split_out(static_cast<int>(i)) <= 0) return false;
  }
  return true;
}

bool isRoot(const v1::Call& call, std::uint32_t rank) {
  return call.root_plus_1() == std::uint64_t{rank} + 1;
}

}  // namespace

bool endProvesStart(const v1::Call& call, std::uint32_t group_size,
                    std::uint32_t x, std::uint32_t y) {
  if (x == y || y >= group_size || !carriesBytes(call)) return false;
  switch (patternOf(call.op())) {
    case Pattern::kAll:
      return true;
    case Pattern::kFromEach:
      return outputHasElements(call, group_size, y);
    case Pattern::kBySplits:
      return splitHasElements(call, y);
    case Pattern::kFromRoot:
      return isRoot(call, y);
    case Pattern::kToRoot:
      return isRoot(call, x);
    case Pattern::kGatherRoot:
      return isRoot(call, x) && outputHasElements(call, group_size, y);
    case Pattern::kReceive:
      return call.peer_plus_1() == std::uint64_t{y} + 1;
    default:
      return false;
  }
}

bool needsAllMembers(v1::Operation op) {
  return patternOf(op) == Pattern::kAll;
}

DependencyRole dependencyRole(const v1::Call& call, std::uint32_t group_size,
                              std::uint32_t self) {
  const bool carries = carriesBytes(call) && self < group_size;
  const bool root = isRoot(call, self);
  DependencyRole role;
  role.proven = true;
  role.provable = group_size;
  switch (patternOf(call.op())) {
    case Pattern::kAll:
      role.proves = carries;
      break;
    case Pattern::kFromEach:
      role.proves = carries && noOutputIsEmpty(call);
      break;
    case Pattern::kBySplits:
      role.proves = carries && otherSplitsHaveElements(call, group_size, self);
      break;
    case Pattern::kFromRoot:
      role.proves = carries && call.root_plus_1() > 0 && !root;
      role.proven = role.independent = root;
      role.relayed = !root;
      role.provable = 1;
      break;
    case Pattern::kToRoot:
      role.proves = carries && root;
      role.proven = role.independent = !root;
      role.provable = group_size - 1;
      break;
    case Pattern::kGatherRoot:
      role.proves = carries && root && noOutputIsEmpty(call);
      role.proven = role.independent = !root;
      role.provable = group_size - 1;
      break;
    case Pattern::kReceive:
      role.proves = carries && call.peer_plus_1() > 0;
      role.proven = false;
      role.provable = 1;
      break;
    case Pattern::kSend:
      role.independent = true;
      role.provable = 1;
      break;
    case Pattern::kNone:
      return {};
  }
  return role;
}

HoldsUp whoHoldsUp(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_SCATTER:
      return HoldsUp::kRoot;
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_GATHER:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return HoldsUp::kAllButRoot;
    default:
      return HoldsUp::kAnyRank;
  }
}

}  // namespace traced
