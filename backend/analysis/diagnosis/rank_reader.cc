#include "analysis/diagnosis/rank_reader.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/clock_models.h"
#include "analysis/diagnosis/local_findings.h"
#include "analysis/diagnosis/split_matrix.h"
#include "analysis/operation_kinds.h"

namespace traced {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

}  // namespace

RankReader::RankReader(JobState& job, const StreamTable& table,
                       const v1::ClockModel& clock, std::uint64_t stride)
    : job_(job),
      table_(table),
      clock_(clock),
      stride_(stride),
      state_(rankStateOf(table)),
      rule_(table, state_.whole()) {}

void RankReader::read(std::uint32_t clock_name) {
  state_.clock = clock_name;
  state_.first_ns = commonNs(clock_, table_.header.started().monotonic_ns());
  state_.last_ns = table_.last.known() ? commonNs(clock_, table_.last.ns())
                                       : state_.first_ns;
  const auto& definitions = table_.definitions;
  group_indices_ =
      job_.catalog.add(table_.header.attempt(), definitions.groups());
  job_.groups.resize(job_.catalog.groups().size());
  calls_.reserve(definitions.calls().size());
  for (const v1::Call& call : definitions.calls()) {
    calls_.push_back(describe(call));
  }
  sortOut();
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].empty()) readCollectives(i, places_[i]);
  }
  readMessages();
  tellState();
  findLocal(table_, state_.whole(), state_,
            [this](const AssembledOperation& op, const v1::Call& call) {
              return refTo(op, call);
            });
  job_.ranks.push_back(std::move(state_));
  job_.summary.add(table_);
}

RankReader::KnownCall RankReader::describe(const v1::Call& call) {
  KnownCall known;
  const std::uint32_t local = table_.groupOf(call);
  if (call.simulated() || local == StreamDefinitions::kNone) return known;
  known.group = group_indices_[local];
  known.places = first_of_group_.try_emplace(known.group, local).first->second;
  if (!isPointToPoint(call.op())) {
    known.kind = KnownCall::Kind::kCollective;
    known.signature = job_.signatures.intern(signatureOf(call));
    known.gives_splits = givesSplits(call);
    if (known.gives_splits) {
      known.split_share =
          splitShare(call, table_.definitions.groups()[local].group_rank);
    }
    return known;
  }
  const bool sends = call.op() == v1::OPERATION_SEND;
  known.kind = sends ? KnownCall::Kind::kSend : KnownCall::Kind::kReceive;
  known.signature = job_.signatures.intern(messageOf(call));
  if (call.peer_global_plus_1() > 0) {
    known.side = sideOf(known.group, call.peer_global_plus_1() - 1, sends);
  }
  return known;
}

PairSide* RankReader::sideOf(std::uint32_t group, std::uint32_t peer,
                             bool sends) {
  const std::uint32_t self = state_.rank;
  const PairKey key{group, sends ? self : peer, sends ? peer : self};
  std::unique_ptr<MessagePair>& pair = job_.pairs[key];
  if (!pair) pair = std::make_unique<MessagePair>();
  return sends ? &pair->sends : &pair->receives;
}

// One pass over all operations: collectives by group, messages by pair.
void RankReader::sortOut() {
  places_.resize(table_.definitions.groups().size());
  const std::vector<AssembledOperation>& operations = table_.operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const AssembledOperation& op = operations[i];
    if (op.call == AssembledOperation::kNoCall) continue;
    const KnownCall& known = calls_[op.call];
    const v1::Call& call = table_.definitions.calls()[op.call];
    switch (known.kind) {
      case KnownCall::Kind::kSkip:
        break;
      case KnownCall::Kind::kCollective:
        if (op.seq > 0) {
          places_[known.places].push_back({op.seq, i});
        } else {
          noteState(op, call, rule_.reached(op, call));
        }
        break;
      case KnownCall::Kind::kSend:
      case KnownCall::Kind::kReceive: {
        const Reached reached = rule_.reached(op, call);
        noteState(op, call, reached);
        if (known.side && op.seq > 0) {
          messages_.push_back({known.side, op.seq, known.signature, reached});
        } else if (op.source_rank_plus_1 > 0) {
          const auto source = table_.peerOf(op, call);
          if (source) sideOf(known.group, *source, false)->addUnnumbered();
        }
        break;
      }
    }
  }
}

void RankReader::readCollectives(std::uint32_t group,
                                 std::vector<Place>& places) {
  const auto by_seq = [](const Place& a, const Place& b) {
    return a.seq < b.seq;
  };
  if (!std::is_sorted(places.begin(), places.end(), by_seq)) {
    std::stable_sort(places.begin(), places.end(), by_seq);
  }
  GroupState& state = job_.groups[group_indices_[group]];
  state.collectives.startMember(state_.rank);
  std::int64_t engine_free_ns = kNever;
  for (const Place& place : places) {
    const AssembledOperation& op = table_.operations[place.operation];
    const v1::Call& call = table_.definitions.calls()[op.call];
    const KnownCall& known = calls_[op.call];
    const Reached reached = rule_.reached(op, call);
    state.collectives.join({place.seq, known.signature, reached,
                            known.gives_splits, known.split_share});
    noteState(op, call, reached);
    if (place.seq % stride_ == 0) {
      const std::int64_t ready_ns = std::max(op.issued.ns(), engine_free_ns);
      state.arrivals.push_back(
          {place.seq, commonNs(clock_, ready_ns), state_.rank});
    }
    // Ends that a wait or a hook showed are late bounds, which say nothing of
    // when the engine was free.
    if (op.ended.known() && op.end_source != v1::END_SOURCE_WAIT &&
        op.end_source != v1::END_SOURCE_COMPLETION_HOOK) {
      engine_free_ns = std::max(engine_free_ns, op.ended.ns());
    }
  }
}

void RankReader::readMessages() {
  std::stable_sort(messages_.begin(), messages_.end(),
                   [](const Message& a, const Message& b) {
                     return std::tie(a.side, a.seq) < std::tie(b.side, b.seq);
                   });
  for (const Message& message : messages_) {
    message.side->add(message.seq, message.message, message.reached);
  }
}

void RankReader::noteState(const AssembledOperation& op, const v1::Call& call,
                           Reached reached) {
  if (!last_issued_ || op.issued.ns() >= last_issued_->issued.ns()) {
    last_issued_ = &op;
  }
  if (reached == Reached::kEnded &&
      (!last_ended_ || op.ended.ns() > last_ended_->ended.ns())) {
    last_ended_ = &op;
  }
  if (reached == Reached::kFailed &&
      (!first_failed_ || op.issued.ns() < first_failed_->issued.ns())) {
    first_failed_ = &op;
  }
  if (reached == Reached::kInside) {
    if (state_.inside.size() == RankState::kMaxInside) {
      state_.inside.erase(state_.inside.begin());
    }
    state_.inside.push_back(refTo(op, call));
  }
}

void RankReader::tellState() {
  const auto ref = [this](const AssembledOperation* op) {
    return op ? std::optional(refTo(*op, *table_.callOf(*op))) : std::nullopt;
  };
  state_.last_issued = ref(last_issued_);
  state_.first_failure = ref(first_failed_);
  state_.last_finished = ref(last_ended_);
  if (last_ended_) {
    state_.last_finished->at_ns = commonNs(clock_, last_ended_->ended.ns());
  }
  std::stable_sort(state_.inside.begin(), state_.inside.end(),
                   [](const OperationRef& a, const OperationRef& b) {
                     return a.at_ns < b.at_ns;
                   });
}

OperationRef RankReader::refTo(const AssembledOperation& op,
                               const v1::Call& call) const {
  OperationRef ref;
  const std::uint32_t local = table_.groupOf(call);
  if (local != StreamDefinitions::kNone) ref.group = group_indices_[local];
  ref.seq = op.seq;
  ref.op = call.op();
  ref.at_ns = commonNs(clock_, op.issued.ns());
  if (isPointToPoint(call.op()) && call.peer_global_plus_1() > 0) {
    const std::uint32_t peer = call.peer_global_plus_1() - 1;
    ref.pair = call.op() == v1::OPERATION_SEND ? std::pair(state_.rank, peer)
                                               : std::pair(peer, state_.rank);
  }
  if (op.failed) {
    const std::string* text = table_.definitions.text(op.error);
    if (op.error && text) ref.error = *text;
    ref.threw = op.error_origin == ErrorOrigin::kReturn;
  }
  return ref;
}

}  // namespace traced
