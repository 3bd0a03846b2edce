#include "analysis/whatif/meeting_table.h"

#include <algorithm>

#include "analysis/job/dependency.h"
#include "analysis/stream/operation_kinds.h"

namespace traced::whatif {
namespace {

std::uint64_t bytesOf(const v1::Call& call) {
  return std::max(call.bytes_in(), call.bytes_out());
}

// Returns how many ranks join the meeting of all ranks.
std::uint32_t expectedJoins(const Kind& kind) {
  if (isPointToPoint(kind.op)) return 2;
  return whoHoldsUp(kind.op) == HoldsUp::kRoot ? 1 : kind.group_size;
}

// See Kind::way. `source` and `destination`: ranks of a group of `size`.
int wayOf(std::uint64_t source, std::uint64_t destination, std::uint64_t size) {
  if (source >= size || destination >= size) return 0;
  const std::uint64_t forwards = (destination + size - source) % size;
  if (2 * forwards == size) return 0;
  return 2 * forwards < size ? 1 : -1;
}

}  // namespace

std::uint32_t MeetingTable::add(Meeting::Part part, std::uint32_t kind,
                                std::uint32_t parent) {
  Meeting& meeting = job_.meetings.emplace_back();
  meeting.part = part;
  meeting.kind = kind;
  meeting.parent = parent;
  return static_cast<std::uint32_t>(job_.meetings.size() - 1);
}

std::uint32_t MeetingTable::nodeOf(std::uint32_t rank) {
  const NodeIndex::Node* node = nodes_.of(rank);
  if (!node) return kNone;
  if (node->number >= job_.nodes.size()) job_.nodes.resize(node->number + 1);
  job_.nodes[node->number] = node->name;
  return node->number;
}

std::uint32_t MeetingTable::kindOf(const StreamTable& table,
                                   const v1::Call& call, std::uint32_t group) {
  Kind kind;
  kind.op = call.op();
  kind.bytes = bytesOf(call);
  kind.group = group;
  const std::uint32_t local = table.groupOf(call);
  std::uint64_t own = 0;
  if (local != StreamDefinitions::kNone) {
    kind.group_size = table.definitions.groups()[local].members.size();
    own = table.definitions.groups()[local].group_rank;
  }
  const bool is_message = isPointToPoint(call.op());
  if (is_message && call.peer_global_plus_1() > 0) {
    const MessageEnds ends = messageEndsOf(
        group, table.header.rank(), call.peer_global_plus_1() - 1, call.op());
    kind.direction = ends.destination > ends.source ? 1 : -1;
    const bool sends = call.op() == v1::OPERATION_SEND;
    const std::uint64_t peer = call.peer_plus_1() - std::uint64_t{1};
    kind.way = wayOf(sends ? own : peer, sends ? peer : own, kind.group_size);
    kind.from_node = nodeOf(ends.source);
    kind.to_node = nodeOf(ends.destination);
  }
  const auto op = static_cast<std::uint64_t>(kind.op);
  const auto direction = static_cast<std::uint64_t>(kind.direction + 1);
  const auto way = static_cast<std::uint64_t>(kind.way + 1);
  const auto next = static_cast<std::uint32_t>(job_.kinds.size());
  const auto [found, is_new] =
      kinds_.try_emplace({op, kind.bytes, group, kind.group_size,
                          3 * direction + way, kind.from_node, kind.to_node},
                         next);
  if (!is_new) return found->second;
  kind.place = places_
                   .try_emplace({op, kind.bytes, kind.group_size, way},
                                static_cast<std::uint32_t>(places_.size()))
                   .first->second;
  // Both ends of a message have one transfer.
  const std::uint64_t transfer_op =
      is_message ? std::uint64_t{v1::OPERATION_SEND} : op;
  kind.transfer =
      transfers_
          .try_emplace({transfer_op, kind.bytes, kind.group_size, way},
                       static_cast<std::uint32_t>(transfers_.size()))
          .first->second;
  job_.kinds.push_back(kind);
  return next;
}

void MeetingTable::finish(const GroupCatalog& groups) {
  const GroupRoles roles(groups);
  for (std::uint32_t i = 0; i < groups.groups().size(); ++i) {
    job_.groups.push_back(roles.label(i));
  }
  for (Meeting& meeting : job_.meetings) {
    if (meeting.part != Meeting::Part::kWhole) continue;
    meeting.incomplete =
        meeting.joins < expectedJoins(job_.kinds[meeting.kind]);
  }
  for (const Meeting& meeting : job_.meetings) {
    job_.doubts.unmatched += meeting.part == Meeting::Part::kUnmatched;
  }
}

StreamMeetings::StreamMeetings(const StreamTable& table,
                               const std::vector<std::uint32_t>& groups,
                               std::uint32_t rank_index, MeetingTable& meetings)
    : table_(table),
      calls_(table, groups),
      rank_index_(rank_index),
      meetings_(meetings) {
  for (const v1::Call& call : table.definitions.calls()) {
    const std::uint32_t local = table.groupOf(call);
    kinds_.push_back(meetings.kindOf(
        table, call,
        local == StreamDefinitions::kNone ? kNone : groups[local]));
  }
  own_.resize(table.operations.size());
  queues_.resize(table.definitions.groups().size());
}

void StreamMeetings::Queue::add(const Busy& busy) {
  if (busy.free_ns >= latest[0].free_ns) {
    latest = {busy, latest[0]};
  } else if (busy.free_ns >= latest[1].free_ns) {
    latest[1] = busy;
  }
}

StreamMeetings::Own StreamMeetings::joinedParts(const AssembledOperation& op,
                                                const MatchedCall* call,
                                                std::uint32_t kind) {
  Own own;
  if (!call) {
    own.own = own.ends_with =
        meetings_.add(Meeting::Part::kUnmatched, kind, kNone);
    return own;
  }
  const auto next = static_cast<std::uint32_t>(meetings_.job_.meetings.size());
  const std::uint32_t whole = meetings_.index_.at(call->key, op.seq, next);
  if (whole == next) meetings_.add(Meeting::Part::kWhole, kind, kNone);
  const bool sends = meetings_.job_.kinds[kind].op == v1::OPERATION_SEND;
  if (sends || call->role.independent) {
    own.whole = sends || call->role.proven ? whole : kNone;
    own.own = own.ends_with = meetings_.add(
        sends ? Meeting::Part::kSend : Meeting::Part::kIndependent, kind,
        whole);
  } else if (call->role.relayed) {
    own.own = own.ends_with =
        meetings_.add(Meeting::Part::kReceiver, kind, whole);
    own.waits_for_whole = true;
  } else {
    own.whole = own.ends_with = whole;
    own.waits_for_whole = true;
  }
  return own;
}

Joined StreamMeetings::join(const Action& action, const OperationEnd& end,
                            std::size_t next_event) {
  const std::uint32_t index = action.op;
  const std::int64_t at_ns = action.begin_ns;
  const AssembledOperation& op = table_.operations[index];
  const v1::Call& call = table_.definitions.calls()[op.call];
  Joined joined;
  joined.kind = kinds_[op.call];
  const MatchedCall* matched = calls_.of(op);
  Own& own = own_[index];
  own = joinedParts(op, matched, joined.kind);
  joined.whole = own.whole;
  joined.own = own.own;
  if (own.waits_for_whole && own.whole == kNone) {
    // A receiver waits for the root's part, which others join.
    own.whole = meetings_.job_.meetings[own.own].parent;
  }
  std::int64_t ready_ns = at_ns;
  const std::uint32_t local = table_.groupOf(call);
  const EngineTraits& engine = table_.engineOf(call);
  if (local != StreamDefinitions::kNone && engine.in_order &&
      !isPointToPoint(call.op())) {
    Queue& queue = queues_[local];
    const bool second =
        engine.two_workers && call.op() != v1::OPERATION_BARRIER;
    const Queue::Busy& before = queue.latest[second ? 1 : 0];
    if (before.meeting != kNone) {
      joined.after = before.meeting;
      joined.after_lag_ns = static_cast<float>(before.free_ns - before.end_ns);
      ready_ns = std::max(ready_ns, before.end_ns);
      if (end.known) ready_ns = std::min(ready_ns, std::max(at_ns, end.ns));
    }
    queue.add({own.ends_with, end.known ? end.ns : at_ns,
               end.known ? end.reported_ns : at_ns});
  }
  for (const std::uint32_t meeting : {joined.whole, joined.own}) {
    if (meeting == kNone) continue;
    addReady(meeting, ready_ns, action.clock_ns, next_event++);
  }
  if (end.known) addEnd(own.ends_with, end);
  return joined;
}

void StreamMeetings::addReady(std::uint32_t index, std::int64_t ready_ns,
                              float clock_ns, std::size_t event) {
  Meeting& meeting = meetings_.job_.meetings[index];
  meeting.clock_ns = std::max(meeting.clock_ns, clock_ns);
  if (meeting.joins++ == 0 || ready_ns > meeting.ready_ns) {
    meeting.ready_ns = ready_ns;
    meeting.last_rank = rank_index_;
    meeting.last_event = static_cast<std::uint32_t>(event);
  }
}

void StreamMeetings::addEnd(std::uint32_t index, const OperationEnd& end) {
  Meeting& meeting = meetings_.job_.meetings[index];
  if (meeting.has_end && meeting.end_ns <= end.ns) return;
  meeting.has_end = true;
  meeting.end_ns = end.ns;
  meeting.late_end = end.late;
}

Awaited StreamMeetings::awaited(std::uint32_t index) const {
  const Own& own = own_[index];
  Awaited awaited;
  awaited.kind = kinds_[table_.operations[index].call];
  if (own.waits_for_whole) awaited.whole = own.whole;
  awaited.own = own.own;
  return awaited;
}

}  // namespace traced::whatif
