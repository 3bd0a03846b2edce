#include "truth/unroll.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "truth/random.h"

namespace traced::truth {
namespace {

constexpr std::int64_t kTimeoutNs = 3'000'000'000;
constexpr std::int64_t kForeverNs = std::int64_t{1} << 60;

// Computes the statements of one rank.
class RankProgram {
 public:
  RankProgram(const Program& program, const std::vector<PlainGroup>& groups,
              const std::vector<std::uint32_t>& first_group, std::uint32_t rank)
      : program_(program),
        groups_(groups),
        first_group_(first_group),
        rank_(rank) {}

  std::vector<Statement> write() {
    for (std::uint32_t step = 0; step < program_.steps; ++step) {
      writeStep(step);
    }
    return std::move(statements_);
  }

 private:
  void writeStep(std::uint32_t step) {
    if (program_.step_marks) {
      add({.kind = Statement::Kind::kStep, .step = step});
    }
    const std::vector<Item>& items = program_.items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool swaps =
          isHit(FaultKind::kSwap, step, items[i]) && i + 1 < items.size();
      swaps_ = swaps;
      if (swaps) writeItem(step, items[i + 1]);
      swaps_ = false;
      writeItem(step, items[i]);
      if (swaps) ++i;
    }
    for (const Statement& wait : at_the_end_) add(wait);
    at_the_end_.clear();
  }

  bool isHit(FaultKind kind, std::uint32_t step, const Item& item) const {
    const Fault& fault = program_.fault;
    return fault.kind == kind && fault.rank == rank_ && fault.step == step &&
           fault.item == item.id;
  }

  void writeItem(std::uint32_t step, const Item& item) {
    const auto group = groupOf(item.role);
    compute(step, item);
    if (isHit(FaultKind::kDead, step, item)) {
      return add({.kind = Statement::Kind::kDie});
    }
    const Fault& fault = program_.fault;
    const bool raises_behind = fault.kind == FaultKind::kSwallowed &&
                               fault.item == item.id && step == fault.step + 2;
    if (isHit(FaultKind::kRaise, step, item) || raises_behind) {
      return add({.kind = Statement::Kind::kRaise});
    }
    if (group == kNoGroup) return;
    if (fault.kind == FaultKind::kUnsynchronised && fault.item == item.id) {
      return;
    }
    if (item.kind != ItemKind::kCollective) {
      return writeMessages(step, item, group);
    }
    if (isHit(FaultKind::kSkip, step, item)) return;
    if (isHit(FaultKind::kExtra, step, item)) {
      writeCollective(step, item, group, true);
    }
    writeCollective(step, item, group, false);
  }

  void compute(std::uint32_t step, const Item& item) {
    Random random(program_.seed, {1, rank_, step, item.id});
    std::int64_t ns = item.compute_us * random.between(900, 1100);
    const Fault& fault = program_.fault;
    if (isHit(FaultKind::kLate, step, item) ||
        isHit(FaultKind::kTimedOut, step, item) ||
        (fault.item == item.id && isOneOfLate(program_, rank_, step))) {
      ns += fault.ns;
    }
    if (isHit(FaultKind::kStuck, step, item)) ns = kForeverNs;
    if (fault.kind == FaultKind::kStraggler && fault.rank == rank_ &&
        fault.item == item.id) {
      ns += fault.ns;
    }
    Statement statement{.kind = Statement::Kind::kCompute, .ns = ns};
    statement.at_fault =
        (fault.kind != FaultKind::kNone && isHit(fault.kind, step, item)) ||
        (fault.rank == rank_ && isLasting(fault.kind)) || swaps_ ||
        (fault.item == item.id && isOneOfLate(program_, rank_, step));
    add(statement);
  }

  static bool isLasting(FaultKind kind) {
    return kind == FaultKind::kStraggler || kind == FaultKind::kSlowLink;
  }

  void writeCollective(std::uint32_t step, const Item& item,
                       std::uint32_t group, bool is_extra) {
    const auto size = static_cast<std::uint32_t>(groups_[group].members.size());
    Called call;
    call.op = item.op;
    call.group = group;
    call.elements = item.elements;
    call.dtype = item.dtype;
    call.async = item.waiting != Waiting::kSync;
    call.buffer = item.id + (is_extra ? 2'001 : 1);
    call.line = lineOf(step, item, is_extra);
    call.thread = threadOf(item);
    call.in_backward = item.in_backward;
    if (hasRoot(item.op)) call.root_plus_1 = item.root % size + 1;
    if (reduces(item.op)) call.reduce_op = item.reduce_op;
    if (item.op == v1::OPERATION_BARRIER) call.elements = 0;
    if (item.op == v1::OPERATION_ALL_TO_ALL_SINGLE && item.uneven) {
      addSplits(call, item, group);
    }
    spoil(call, step, item, size);
    Statement statement{.kind = Statement::Kind::kCall, .call = call};
    statement.stuck = isHit(FaultKind::kStuckInside, step, item);
    statement.fails = isHit(FaultKind::kSwallowed, step, item);
    if (program_.fault.kind == FaultKind::kTimedOut) {
      statement.timeout_ns = kTimeoutNs;
    }
    issue(std::move(statement), item.waiting);
  }

  // Ranks may call from lines of their own, always or once. That is no fault.
  std::uint32_t lineOf(std::uint32_t step, const Item& item,
                       bool is_extra) const {
    const std::uint64_t seed = program_.seed;
    const bool has_site = has(program_.features, Feature::kCallSites) &&
                          !Random(seed, {40}).oneIn(4);
    if (!has_site) return 0;
    if (is_extra && !Random(seed, {41}).oneIn(3)) return 900 + item.id;
    const bool varies = Random(seed, {42}).oneIn(3);
    const bool once = Random(seed, {43, rank_, step, item.id}).oneIn(20);
    if (varies && once) return 600 + item.id;
    const bool by_rank = Random(seed, {44, item.id}).oneIn(3);
    return by_rank && rank_ % 2 == 1 ? 300 + item.id : 100 + item.id;
  }

  std::uint32_t threadOf(const Item& item) const {
    const bool several = has(program_.features, Feature::kThreads) &&
                         Random(program_.seed, {45}).oneIn(3);
    if (!several || item.waiting != Waiting::kSync) return 1;
    return Random(program_.seed, {46, item.id}).oneIn(2) ? 2 : 1;
  }

  // Applies the fault to a call.
  void spoil(Called& call, std::uint32_t step, const Item& item,
             std::uint32_t size) const {
    if (isHit(FaultKind::kOtherOp, step, item)) {
      const bool reduces_all = call.op == v1::OPERATION_ALL_REDUCE;
      call.op =
          reduces_all ? v1::OPERATION_BROADCAST : v1::OPERATION_ALL_REDUCE;
      call.root_plus_1 = reduces_all ? 1 : 0;
      call.reduce_op =
          reduces_all ? v1::REDUCE_OP_UNSPECIFIED : v1::REDUCE_OP_SUM;
      call.split_in.clear();
      call.split_out.clear();
      call.elements = std::max<std::uint64_t>(call.elements, 1);
    }
    if (isHit(FaultKind::kOtherDtype, step, item) && call.elements > 0) {
      call.dtype =
          call.dtype == v1::DTYPE_FLOAT32 ? v1::DTYPE_INT32 : v1::DTYPE_FLOAT32;
    }
    if (isHit(FaultKind::kOtherSize, step, item) && call.elements > 0) {
      call.elements += size;
      if (!call.split_in.empty()) call.split_in[0] += size;
    }
    if (isHit(FaultKind::kOtherReduceOp, step, item) && reduces(call.op)) {
      call.reduce_op = call.reduce_op == v1::REDUCE_OP_SUM ? v1::REDUCE_OP_MAX
                                                           : v1::REDUCE_OP_SUM;
    }
    if (isHit(FaultKind::kOtherRoot, step, item) && hasRoot(call.op)) {
      call.root_plus_1 = call.root_plus_1 % size + 1;
    }
  }

  static bool hasRoot(v1::Operation op) {
    return op == v1::OPERATION_BROADCAST || op == v1::OPERATION_REDUCE ||
           op == v1::OPERATION_GATHER || op == v1::OPERATION_SCATTER;
  }
  static bool reduces(v1::Operation op) {
    return op == v1::OPERATION_ALL_REDUCE || op == v1::OPERATION_REDUCE ||
           op == v1::OPERATION_REDUCE_SCATTER_TENSOR;
  }

  // Rank i sends to j what j expects from i, because the size is drawn per
  // pair.
  void addSplits(Called& call, const Item& item, std::uint32_t group) const {
    const PlainGroup& members = groups_[group];
    const std::uint32_t own = members.indexOf(rank_);
    const auto part = [&](std::uint32_t from, std::uint32_t to) {
      Random random(program_.seed, {2, item.id, from, to});
      return random.between(1, static_cast<std::int64_t>(item.elements));
    };
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < members.members.size(); ++i) {
      call.split_in.push_back(part(own, i));
      call.split_out.push_back(part(i, own));
      sent += static_cast<std::uint64_t>(call.split_in.back());
    }
    call.elements = sent;
  }

  void writeMessages(std::uint32_t step, const Item& item,
                     std::uint32_t group) {
    const auto size = static_cast<std::uint32_t>(groups_[group].members.size());
    if (size < 2) return;
    const std::uint32_t own = groups_[group].indexOf(rank_);
    const std::uint32_t next = (own + 1) % size;
    const std::uint32_t before = (own + size - 1) % size;
    const bool in_line = item.kind == ItemKind::kPipeline;
    const bool waits = in_line || item.waiting == Waiting::kSync;
    std::vector<std::uint32_t> handles;
    const auto add_message = [&](v1::Operation op, std::uint32_t peer,
                                 std::uint32_t memory = 1'000) {
      Called call;
      call.op = op;
      call.group = group;
      call.elements = item.elements;
      call.dtype = item.dtype;
      call.peer_plus_1 = peer + 1;
      call.tag = item.tag;
      call.async = !in_line;
      call.buffer = 2 * item.id + memory + (op == v1::OPERATION_SEND ? 1U : 0U);
      Statement statement{.kind = Statement::Kind::kCall, .call = call};
      const Fault& fault = program_.fault;
      if (fault.kind == FaultKind::kSlowLink && fault.rank == rank_ &&
          op == v1::OPERATION_SEND) {
        statement.ns = fault.ns;
      }
      if (in_line) return issue(std::move(statement), Waiting::kSync);
      statement.handle = next_handle_++;
      handles.push_back(statement.handle);
      add(statement);
    };
    if (isHit(FaultKind::kSkip, step, item)) return;
    if (!in_line || own > 0) add_message(v1::OPERATION_RECV, before);
    if (isHit(FaultKind::kStrayRecv, step, item)) {
      add_message(v1::OPERATION_RECV, before, 3'000);
    }
    const bool lost = isHit(FaultKind::kLostSend, step, item);
    if ((!in_line || own + 1 < size) && !lost) {
      add_message(v1::OPERATION_SEND, next);
    }
    for (const std::uint32_t handle : handles) {
      Statement wait{.kind = Statement::Kind::kWait, .handle = handle};
      if (waits) {
        add(wait);
      } else {
        at_the_end_.push_back(wait);
      }
    }
  }

  void issue(Statement statement, Waiting waiting) {
    statement.handle = next_handle_++;
    const std::uint32_t handle = statement.handle;
    add(std::move(statement));
    Statement wait{.kind = waiting == Waiting::kFuture
                               ? Statement::Kind::kFuture
                               : Statement::Kind::kWait,
                   .handle = handle};
    if (waiting == Waiting::kSync) {
      add(wait);
    } else {
      at_the_end_.push_back(wait);
    }
  }

  static constexpr std::uint32_t kNoGroup =
      std::numeric_limits<std::uint32_t>::max();

  std::uint32_t groupOf(std::uint32_t role) const {
    const std::vector<Ranks>& groups = program_.roles[role].groups;
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      if (std::find(groups[i].begin(), groups[i].end(), rank_) !=
          groups[i].end()) {
        return first_group_[role] + i;
      }
    }
    return kNoGroup;
  }

  void add(Statement statement) { statements_.push_back(std::move(statement)); }

  const Program& program_;
  const std::vector<PlainGroup>& groups_;
  const std::vector<std::uint32_t>& first_group_;
  const std::uint32_t rank_;
  std::vector<Statement> statements_;
  std::vector<Statement> at_the_end_;
  std::uint32_t next_handle_ = 0;
  // Whether an item is written that was moved forward.
  bool swaps_ = false;
};

std::vector<Called> callsOf(const std::vector<Statement>& statements) {
  std::vector<Called> calls;
  for (const Statement& statement : statements) {
    if (statement.kind == Statement::Kind::kCall) {
      calls.push_back(statement.call);
      calls.back().buffer = 0;
      calls.back().line = 0;
      calls.back().thread = 1;
    }
  }
  return calls;
}

}  // namespace

std::uint32_t PlainGroup::indexOf(std::uint32_t rank) const {
  return static_cast<std::uint32_t>(
      std::find(members.begin(), members.end(), rank) - members.begin());
}

bool Called::agreesWith(const Called& other) const {
  // Barriers have no arguments that could differ.
  if (op == v1::OPERATION_BARRIER) return other.op == op;
  const bool splits = !split_in.empty() || !other.split_in.empty();
  return op == other.op && dtype == other.dtype &&
         reduce_op == other.reduce_op && root_plus_1 == other.root_plus_1 &&
         (splits || elements == other.elements);
}

Unrolled unroll(const Program& program) {
  Unrolled unrolled;
  std::vector<std::uint32_t> first_group;
  for (const Role& role : program.roles) {
    first_group.push_back(static_cast<std::uint32_t>(unrolled.groups.size()));
    for (const Ranks& members : role.groups) {
      unrolled.groups.push_back({role.desc, members});
    }
  }
  for (std::uint32_t rank = 0; rank < program.world; ++rank) {
    unrolled.ranks.push_back(
        RankProgram(program, unrolled.groups, first_group, rank).write());
  }
  return unrolled;
}

bool isOneOfLate(const Program& program, std::uint32_t rank,
                 std::uint32_t step) {
  const Fault& fault = program.fault;
  if (fault.kind == FaultKind::kLateInTurn) {
    return step % 4 == 1 && (step / 4 + fault.rank) % program.world == rank;
  }
  return fault.kind == FaultKind::kStragglers &&
         (fault.rank == rank || (fault.rank + 1) % program.world == rank);
}

bool faultTakesPlace(const Program& program) {
  if (program.fault.kind == FaultKind::kNone) return false;
  Program healthy = program;
  healthy.fault = {};
  Unrolled with = unroll(program);
  for (auto& rank : with.ranks) {
    for (Statement& statement : rank) statement.at_fault = false;
  }
  const Unrolled without = unroll(healthy);
  if (program.fault.kind == FaultKind::kSwap ||
      program.fault.kind == FaultKind::kSkip) {
    // A different order of computing is no fault.
    for (std::size_t i = 0; i < with.ranks.size(); ++i) {
      if (callsOf(with.ranks[i]) != callsOf(without.ranks[i])) return true;
    }
    return false;
  }
  return with.ranks != without.ranks;
}

Ranks plantedRanks(const Program& program, const Unrolled& unrolled) {
  if (program.fault.kind == FaultKind::kNone) return {};
  Ranks planted;
  for (std::uint32_t rank = 0; rank < program.world; ++rank) {
    for (std::uint32_t step = 0; step < program.steps; ++step) {
      if (isOneOfLate(program, rank, step)) planted.push_back(rank);
    }
  }
  if (!planted.empty()) return planted;
  planted = {program.fault.rank};
  if (program.fault.kind != FaultKind::kSlowLink) return planted;
  for (const Statement& statement : unrolled.ranks[program.fault.rank]) {
    if (statement.call.op != v1::OPERATION_SEND) continue;
    const PlainGroup& group = unrolled.groups[statement.call.group];
    planted.push_back(group.members[statement.call.peer_plus_1 - 1]);
  }
  return planted;
}

}  // namespace traced::truth
