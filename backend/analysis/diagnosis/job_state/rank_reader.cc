#include "analysis/diagnosis/job_state/rank_reader.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "analysis/diagnosis/job_state/split_matrix.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// Returns when the program could first know of the failure.
Instant failureSeen(const AssembledOperation& op) {
  if (op.error_origin == ErrorOrigin::kReturn) return op.returned;
  return op.wait_ended.known() ? op.wait_ended : op.ended;
}

}  // namespace

RankReader::RankReader(JobState& job, const StreamTable& table,
                       std::uint64_t stride, std::size_t most_long)
    : job_(job),
      table_(table),
      stride_(stride),
      state_(rankStateOf(table)),
      rule_(table, state_.whole()),
      stops_(table),
      local_(
          table,
          [this](const AssembledOperation& op, const v1::Call& call) {
            return refTo(op, call);
          },
          [this] { return lastIssueNs(); }),
      timing_(table),
      most_long_(most_long) {}

void RankReader::read(std::uint32_t clock_name) {
  state_.clock = clock_name;
  state_.first_ns = table_.header.started().monotonic_ns();
  state_.last_ns = table_.last.known() ? table_.last.ns() : state_.first_ns;
  state_.ended_ns =
      state_.end.raised.known() ? state_.end.raised.ns() : state_.last_ns;
  for (const Instant& seen : {state_.end.raised, state_.end.signal_seen}) {
    if (seen.known() && !state_.end_seen_ns) state_.end_seen_ns = seen.ns();
  }
  const auto& definitions = table_.definitions;
  group_indices_ =
      job_.catalog.add(table_.header.attempt(), definitions.groups());
  job_.names.add(table_.header.attempt(), state_.rank, definitions.groups(),
                 group_indices_);
  job_.groups.resize(job_.catalog.groups().size());
  for (const std::uint32_t group : group_indices_) {
    collectives_.emplace_back().group = &job_.groups[group];
  }
  last_unseen_.resize(group_indices_.size());
  calls_.reserve(definitions.calls().size());
  for (const v1::Call& call : definitions.calls()) {
    calls_.push_back(describe(call));
  }
  findOrder();
  readOperations();
  joinUnsorted();
  reportLong();
  readCounters();
  addMessages();
  reportState();
  std::move(local_).addTo(state_);
  job_.ranks.push_back(std::move(state_));
  job_.summary.add(table_);
}

RankReader::KnownCall RankReader::describe(const v1::Call& call) {
  KnownCall known;
  known.call = &call;
  const std::uint32_t local = table_.groupOf(call);
  if (call.simulated() || local == StreamDefinitions::kNone) return known;
  known.group = group_indices_[local];
  known.engine = &table_.definitions.groups()[local].engine();
  known.collectives =
      first_of_group_.try_emplace(known.group, local).first->second;
  has_twins_ |= known.collectives != local;
  if (!isPointToPoint(call.op())) {
    known.kind = KnownCall::Kind::kCollective;
    known.signature =
        job_.signatures.intern(signatureOf(call, table_.capabilities));
    known.gives_splits =
        table_.capabilities.has(SourceCapability::kSplits) && givesSplits(call);
    if (known.gives_splits) {
      known.split_share =
          splitShare(call, table_.definitions.groups()[local].group_rank);
    }
    return known;
  }
  const bool sends = call.op() == v1::OPERATION_SEND;
  known.kind = sends ? KnownCall::Kind::kSend : KnownCall::Kind::kReceive;
  known.signature = job_.signatures.intern(messageOf(call, *known.engine));
  job_.groups[known.group].has_messages = true;
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

// Determines for each group whether its collectives are recorded in order of
// their numbers.
void RankReader::findOrder() {
  if (table_.in_seq_order && !has_twins_) return;
  for (const AssembledOperation& op : table_.operations) {
    if (op.call == AssembledOperation::kNoCall) continue;
    const KnownCall& known = calls_[op.call];
    if (known.kind != KnownCall::Kind::kCollective || op.seq == 0) continue;
    Collectives& collectives = collectives_[known.collectives];
    collectives.in_order &= op.seq >= collectives.last_seq;
    collectives.last_seq = op.seq;
  }
}

void RankReader::readOperations() {
  for (const AssembledOperation& op : table_.operations) {
    if (op.call == AssembledOperation::kNoCall) continue;
    const KnownCall& known = calls_[op.call];
    switch (known.kind) {
      case KnownCall::Kind::kSkip:
        continue;
      case KnownCall::Kind::kCollective:
        readCollective(op, known);
        break;
      case KnownCall::Kind::kSend:
      case KnownCall::Kind::kReceive:
        readMessage(op, known);
        break;
    }
    if (known.engine->two_workers && state_.whole()) {
      local_.add(op, *known.call, *known.engine);
    }
  }
}

std::int64_t RankReader::lastIssueNs() {
  if (!last_issue_ns_) {
    Instant last;
    for (const AssembledOperation& op : table_.operations) {
      if (op.issued.isAfter(last)) last = op.issued;
    }
    last_issue_ns_ = last.ns();
  }
  return *last_issue_ns_;
}

void RankReader::readCollective(const AssembledOperation& op,
                                const KnownCall& known) {
  const ReadyTime ready = timing_.ready(op);
  if (op.seq == 0) return noteState(op, *known.call, rule_.reached(op));
  Collectives& collectives = collectives_[known.collectives];
  if (!collectives.started) {
    collectives.group->collectives.startMember(state_.rank);
    collectives.started = true;
  }
  if (collectives.in_order) return join(op, known, ready);
  collectives.unsorted.push_back({&op, ready});
}

void RankReader::join(const AssembledOperation& op, const KnownCall& known,
                      const ReadyTime& ready) {
  Collectives& collectives = collectives_[known.collectives];
  const Reached reached = rule_.reached(op);
  if (collectives.thread == 0) collectives.thread = op.thread;
  collectives.group->several_threads |= collectives.thread != op.thread;
  collectives.group->collectives.join({op.seq, known.signature, reached,
                                       known.gives_splits, known.split_share});
  noteState(op, *known.call, reached);
  timing_.reach(op);
  if (isSampled(op.seq, stride_)) {
    const auto timing = timeCollective(op, known, ready);
    if (timing) collectives.group->timings.push_back(*timing);
  } else {
    keepIfLong(op, known, ready);
  }
  collectives.last_issued = op.issued;
  timing_.done(op, known.collectives);
}

std::optional<Timing> RankReader::timeCollective(const AssembledOperation& op,
                                                 const KnownCall& known,
                                                 const ReadyTime& ready) const {
  auto timing = timing_.collective(op, ready, known.collectives);
  if (timing) timing->rank = state_.rank;
  return timing;
}

// Keeps the timing of an unsampled collective that lasted long or followed a
// long pause. If a rank is late, it pauses and the others wait, so all of them
// keep the collective.
void RankReader::keepIfLong(const AssembledOperation& op,
                            const KnownCall& known, const ReadyTime& ready) {
  constexpr std::uint64_t kLongNs = 100'000'000;
  const Collectives& collectives = collectives_[known.collectives];
  const std::uint64_t ns =
      std::max(between(collectives.last_issued, op.issued).value_or(0),
               between(op.issued, op.ended).value_or(0));
  if (ns < kLongNs) return;
  const auto timing = timeCollective(op, known, ready);
  if (!timing) return;
  if (long_.size() >= most_long_) {
    if (long_.empty() || long_.front().ns >= ns) return;
    std::pop_heap(long_.begin(), long_.end(), std::greater<>());
    long_.pop_back();
  }
  long_.push_back({ns, collectives.group, *timing});
  std::push_heap(long_.begin(), long_.end(), std::greater<>());
}

void RankReader::reportLong() {
  for (const LongOne& one : long_) one.group->timings.push_back(one.timing);
}

void RankReader::joinUnsorted() {
  for (Collectives& collectives : collectives_) {
    std::stable_sort(collectives.unsorted.begin(), collectives.unsorted.end(),
                     [](const Unsorted& a, const Unsorted& b) {
                       return a.op->seq < b.op->seq;
                     });
    for (const Unsorted& one : collectives.unsorted) {
      join(*one.op, calls_[one.op->call], one.ready);
    }
  }
}

void RankReader::readCounters() {
  for (const GroupProgress& progress : table_.progress) {
    if (progress.group == StreamDefinitions::kNone) continue;
    job_.groups[group_indices_[progress.group]].counted.push_back(
        {state_.rank,
         {progress.last_completed.value_or(0),
          progress.last_enqueued.value_or(0)}});
  }
}

void RankReader::readMessage(const AssembledOperation& op,
                             const KnownCall& known) {
  const ReadyTime ready = timing_.ready(op);
  const Reached reached = rule_.reached(op);
  noteState(op, *known.call, reached);
  if (known.side && op.seq > 0) {
    messages_.push_back(
        {known.side, op.seq, known.signature, reached, ready, &op});
  } else if (op.source_rank_plus_1 > 0) {
    const auto source = table_.peerOf(op, *known.call);
    if (source) sideOf(known.group, *source, false)->addUnnumbered();
  }
  timing_.reach(op);
  timing_.done(op, RankTiming::kMessage);
}

void RankReader::addMessages() {
  std::stable_sort(messages_.begin(), messages_.end(),
                   [](const Message& a, const Message& b) {
                     return std::tie(a.side, a.seq) < std::tie(b.side, b.seq);
                   });
  for (const Message& message : messages_) {
    message.side->add(message.seq, message.message, message.reached,
                      message.op->batch != 0);
    if (message.seq % stride_ == 0) {
      message.side->addTiming(timeMessage(message));
    }
  }
}

Timing RankReader::timeMessage(const Message& message) const {
  Timing timing = timing_.message(*message.op, message.ready);
  timing.rank = state_.rank;
  return timing;
}

void RankReader::noteState(const AssembledOperation& op, const v1::Call& call,
                           Reached reached) {
  if (!last_issued_ || op.issued.ns() >= last_issued_->issued.ns()) {
    last_issued_ = &op;
  }
  stops_.add(op, call);
  if (reached == Reached::kUnseen && !isPointToPoint(call.op())) {
    const AssembledOperation*& last = last_unseen_[table_.groupOf(call)];
    if (!last || op.id > last->id) last = &op;
  }
  if (reached == Reached::kEnded &&
      (!last_ended_ || op.ended.ns() > last_ended_->ended.ns())) {
    last_ended_ = &op;
  }
  if (reached == Reached::kFailed &&
      (!first_failed_ || op.issued.ns() < first_failed_->issued.ns())) {
    first_failed_ = &op;
  }
  if (isInside(reached)) {
    OperationRef ref = refTo(op, call);
    ref.perhaps = reached == Reached::kPerhapsInside;
    state_.addInside(std::move(ref));
  }
}

void RankReader::reportState() {
  const auto ref = [this](const AssembledOperation* op) {
    return op ? std::optional(refTo(*op, *table_.callOf(*op))) : std::nullopt;
  };
  state_.last_issued = ref(last_issued_);
  state_.first_failure = ref(first_failed_);
  state_.last_finished = ref(last_ended_);
  if (last_ended_) state_.last_finished->at_ns = last_ended_->ended.ns();
  for (const AssembledOperation* op : last_unseen_) {
    if (op) state_.last_unseen.push_back(*ref(op));
  }
  findLongestPause();
  countAfterFailure();
  state_.stops = stops_.stops(
      group_indices_, [&](const AssembledOperation& op) { return *ref(&op); });
}

void RankReader::findLongestPause() {
  Instant active;
  for (const AssembledOperation& op : table_.operations) {
    if (const auto pause_ns = between(active, op.issued)) {
      state_.longest_pause_ns = std::max(state_.longest_pause_ns,
                                         static_cast<std::int64_t>(*pause_ns));
    }
    for (const Instant& at : {op.issued, op.ended}) {
      if (at.isAfter(active)) active = at;
    }
  }
}

void RankReader::countAfterFailure() {
  if (!first_failed_) return;
  const Instant seen = failureSeen(*first_failed_);
  if (!seen.known()) return;
  for (const AssembledOperation& op : table_.operations) {
    if (!op.issued.isAfter(seen)) continue;
    ++state_.issued_after_failure;
    state_.failed_after_failure += op.failed ? 1 : 0;
  }
}

// Returns whether the call had not returned, or waits for the end itself.
bool RankReader::blocks(const AssembledOperation& op,
                        const v1::Call& call) const {
  if (table_.snapshot) return false;
  const bool on_host =
      op.call < calls_.size() && calls_[op.call].engine->on_host;
  return !op.returned.known() || (on_host && waitsAtOnce(call));
}

OperationRef RankReader::refTo(const AssembledOperation& op,
                               const v1::Call& call) const {
  OperationRef ref;
  const std::uint32_t local = table_.groupOf(call);
  if (local != StreamDefinitions::kNone) ref.group = group_indices_[local];
  ref.seq = op.seq;
  ref.op = call.op();
  if (CallSite place = callSiteOf(table_, op); place.known()) {
    ref.place = std::make_shared<const CallSite>(std::move(place));
  }
  ref.at_ns = op.issued.ns();
  if (const Instant at = stops_.cutOff(op, call); at.known()) {
    ref.until_ns = at.ns();
  }
  ref.blocks = blocks(op, call);
  if (isPointToPoint(call.op()) && call.peer_global_plus_1() > 0) {
    const std::uint32_t peer = call.peer_global_plus_1() - 1;
    ref.pair = call.op() == v1::OPERATION_SEND ? std::pair(state_.rank, peer)
                                               : std::pair(peer, state_.rank);
  }
  if (op.failed) {
    const std::string* text = table_.definitions.text(op.error);
    if (op.error && text) ref.error = *text;
    ref.threw = op.error_origin == ErrorOrigin::kReturn;
    if (const Instant at = failureSeen(op); at.known()) ref.failed_ns = at.ns();
  }
  return ref;
}

}  // namespace traced
