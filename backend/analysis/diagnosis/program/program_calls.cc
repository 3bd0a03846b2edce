#include "analysis/diagnosis/program/program_calls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/stream/process_end.h"

namespace traced {
namespace {

// Maximum number of calls kept per rank, enough for several periods of a long
// training step.
constexpr std::size_t kMaxCalls = 4096;
// Smaller words mark the beginning and the end of a program.
constexpr std::uint32_t kFirstWord = 2;

// Returns the distance to the peer, in ascending group ranks modulo the group
// size. Returns the group size if the peer is unknown.
std::uint32_t distanceTo(const v1::Call& call, const GroupDefinition& group) {
  const auto size = static_cast<std::uint32_t>(group.members.size());
  if (call.peer_plus_1() == 0 || size == 0) return size;
  return (call.peer_plus_1() - 1 + size - group.group_rank % size) % size;
}

bool keptItsBeginning(const StreamTable& table) {
  return table.dropped(v1::DROP_REASON_RETENTION) == 0 && !table.snapshot &&
         !table.operations.empty() && table.operations.front().seq <= 1;
}

// Returns whether the thread of `op` was in the call or in a wait for it at
// `at`. A call that is not async waits by itself. A wait that has not ended is
// not recorded.
bool isInsideAt(const AssembledOperation& op, bool async, Instant at) {
  if (!op.returned.known() || op.returned.isAfter(at)) return true;
  if (!op.wait_ended.known()) return !async && !op.ended.known();
  return op.wait_ended.isAfter(at) && (!async || !op.wait_began.isAfter(at));
}

bool isBesideAnother(const AssembledOperation& op,
                     const AssembledOperation& before,
                     const StreamTable& table) {
  const bool other_thread =
      op.thread != 0 && before.thread != 0 && op.thread != before.thread;
  const v1::Call* call = table.callOf(before);
  return other_thread && call && isInsideAt(before, call->async(), op.issued);
}

}  // namespace

std::uint32_t ProgramReader::roleOf(const std::string& description) {
  const auto next = static_cast<std::uint32_t>(roles_.size() + 1);
  return roles_.try_emplace(description, next).first->second;
}

// Returns a role per group of the stream. Groups created by the same line of
// the program share a role across ranks. Groups with equal size and description
// are numbered in their order on the rank.
std::vector<std::uint32_t> ProgramReader::rolesOf(const StreamTable& table) {
  absl::flat_hash_map<std::string, std::uint32_t> made;
  std::vector<std::uint32_t> roles;
  for (const GroupDefinition& group : table.definitions.groups()) {
    const std::string kind =
        absl::StrCat(group.members.size(), "|", group.leg, "|", group.desc);
    roles.push_back(roleOf(absl::StrCat(kind, "|", made[kind]++)));
  }
  return roles;
}

ProgramCall ProgramReader::describe(const StreamTable& table,
                                    const v1::Call& call,
                                    const std::vector<std::uint32_t>& roles,
                                    const std::vector<std::uint32_t>& groups) {
  ProgramCall described;
  const std::uint32_t local = table.groupOf(call);
  if (call.simulated() || local == StreamDefinitions::kNone) return described;
  const GroupDefinition& group = table.definitions.groups()[local];
  const bool may_lack = group.left_out || (group.leaves_out_messages &&
                                           isPointToPoint(call.op()));
  if (may_lack) return described;
  described.group = groups[local];
  described.op = call.op();
  described.group_role = described.role = roles[local];
  if (isPointToPoint(call.op())) {
    const bool sends = call.op() == v1::OPERATION_SEND;
    described.role = roleOf(absl::StrCat(described.role, sends ? ">" : "<",
                                         distanceTo(call, group)));
    described.signature = signatures_.intern(messageOf(call, group.engine()));
    if (call.peer_global_plus_1() > 0) {
      const std::uint32_t self = table.header.rank();
      const std::uint32_t peer = call.peer_global_plus_1() - 1;
      described.pair = sends ? std::pair(self, peer) : std::pair(peer, self);
    }
  } else {
    described.signature =
        signatures_.intern(signatureOf(call, table.capabilities));
  }
  const Signature signature = signatures_.at(described.signature);
  described.word = wordOf(described.role, signature);
  Signature kind;
  kind.op = signature.op;
  kind.dtype = signature.dtype;
  kind.reduce_op = signature.reduce_op;
  described.kind = wordOf(described.role, kind);
  return described;
}

std::uint32_t ProgramReader::wordOf(std::uint32_t role,
                                    const Signature& signature) {
  const auto next = static_cast<std::uint32_t>(words_.size() + kFirstWord);
  return words_.try_emplace({role, signatures_.intern(signature)}, next)
      .first->second;
}

std::uint32_t ProgramReader::siteOf(const StreamTable& table,
                                    const AssembledOperation& op,
                                    Sites& known) {
  if (op.stack == 0) return 0;
  const auto [of_stack, is_new_stack] = known.try_emplace(op.stack, 0);
  if (!is_new_stack) return of_stack->second;
  const std::string text = table.siteOf(op);
  const auto next = static_cast<std::uint32_t>(site_texts_.size());
  const auto [site, is_new] = sites_.try_emplace(text, next);
  if (is_new) site_texts_.push_back(text);
  return of_stack->second = site->second;
}

ProgramCalls ProgramReader::read(const StreamTable& table) {
  ProgramCalls program;
  program.rank = table.header.rank();
  const std::vector<std::uint32_t> groups =
      catalog_.add(table.header.attempt(), table.definitions.groups());
  const std::vector<std::uint32_t> roles = rolesOf(table);
  program.roles = roles;
  std::sort(program.roles.begin(), program.roles.end());
  std::vector<ProgramCall> known;
  for (const v1::Call& call : table.definitions.calls()) {
    known.push_back(describe(table, call, roles, groups));
  }
  const std::vector<AssembledOperation>& all = table.operations;
  const std::size_t begin = all.size() - std::min(all.size(), kMaxCalls);
  if (begin == 0 && keptItsBeginning(table)) program.calls.emplace_back();
  absl::flat_hash_map<std::uint32_t, const AssembledOperation*> last_ones;
  Sites sites;
  bool failed = false;
  for (std::size_t i = begin; i < all.size() && !failed; ++i) {
    const AssembledOperation& op = all[i];
    if (op.call == AssembledOperation::kNoCall || op.seq == 0) continue;
    if (known[op.call].word == ProgramCalls::kBegin) continue;
    const ProgramCall& call = known[op.call];
    // A hole breaks the sequence: drop the calls before it.
    const AssembledOperation* last = std::exchange(last_ones[call.role], &op);
    if (last && op.seq != last->seq + 1) program.calls.clear();
    program.calls.push_back(call);
    program.calls.back().seq = op.seq;
    program.calls.back().site = siteOf(table, op, sites);
    const auto step = table.marks.stepOf(op.id);
    program.calls.back().step_plus_1 = step ? *step + 1 : 0;
    program.calls.back().beside_another =
        last && isBesideAnother(op, *last, table);
    failed = op.failed;
  }
  // An interrupted program did not end by itself.
  if (table.closed && !failed && !processEndOf(table).wasInterrupted()) {
    program.calls.emplace_back().word = ProgramCalls::kEnd;
    program.calls.back().kind = ProgramCalls::kEnd;
  }
  return program;
}

ProgramPoint ProgramReader::pointOf(const ProgramCall& call) const {
  if (call.word == ProgramCalls::kBegin) return {ProgramPoint::At::kBegin};
  if (call.word == ProgramCalls::kEnd) return {ProgramPoint::At::kEnd};
  return {ProgramPoint::At::kCall,
          {nameOf(call.op), call.group, call.seq, call.pair}};
}

ProgramPoint ProgramReader::wordOf(const ProgramCall& call,
                                   bool own_groups) const {
  ProgramPoint point = pointOf(call);
  if (point.at != ProgramPoint::At::kCall || call.pair) return point;
  const Signature& signature = signatures_.at(call.signature);
  point.own_groups = own_groups;
  point.signature =
      own_groups ? textOf(signature)
                 : textOf(signature, catalog_.groups()[call.group].members);
  return point;
}

}  // namespace traced
