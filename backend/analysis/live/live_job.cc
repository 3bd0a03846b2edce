#include "analysis/live/live_job.h"

#include <algorithm>
#include <utility>

#include "analysis/figures/bandwidth.h"
#include "analysis/job/held_time.h"
#include "analysis/job/signature.h"
#include "analysis/report/row_samples.h"
#include "analysis/stream/observed_end.h"
#include "analysis/time_split/time_split.h"
#include "trace_io/message_size.h"

namespace traced {

LiveStream& LiveJob::add(const v1::Header& header) {
  clock_.set_source(v1::CLOCK_SOURCE_SAME_CLOCK);
  // Sorted by rank, so that groups with equal labels get the same numbers as in
  // a report.
  const auto found = std::upper_bound(
      members_.begin(), members_.end(), header.rank(),
      [](std::uint32_t rank, const std::unique_ptr<Member>& each) {
        return rank < each->stream.table().header.rank();
      });
  return (*members_.insert(found, std::make_unique<Member>(header)))->stream;
}

const LiveJob::Member* LiveJob::find(std::uint32_t rank) const {
  const auto found = std::lower_bound(
      members_.begin(), members_.end(), rank,
      [](const std::unique_ptr<Member>& each, std::uint32_t wanted) {
        return each->stream.table().header.rank() < wanted;
      });
  const bool is_here =
      found != members_.end() && (*found)->stream.table().header.rank() == rank;
  return is_here ? found->get() : nullptr;
}

void LiveJob::learn(Member& member) {
  const StreamTable& table = member.stream.table();
  const StreamDefinitions& definitions = table.definitions;
  const bool new_groups = member.groups.size() < definitions.groups().size();
  if (new_groups) {
    member.groups = catalog_.add(table.header.attempt(), definitions.groups());
  }
  if (new_groups || !member.calls ||
      member.calls->all().size() < definitions.calls().size()) {
    member.calls.emplace(table, member.groups);
  }
}

bool LiveJob::isWithin(const MatchedCall& call) const {
  const RankList& ranks = catalog_.groups()[call.key.group].members;
  if (call.key.isMessage()) {
    return find(call.key.source) && find(call.key.destination);
  }
  // A larger group cannot be local.
  if (ranks.size() > members_.size()) return false;
  bool all = true;
  ranks.forEach([&](std::uint32_t rank) { all = all && find(rank); });
  return all;
}

void LiveJob::watchOrder(Member& member) {
  const StreamTable& table = member.stream.table();
  const std::vector<AssembledOperation>& operations = table.operations;
  auto op = operations.begin();
  if (member.watched_any) {
    op = std::upper_bound(operations.begin(), operations.end(),
                          member.watched_id,
                          [](std::uint64_t id, const AssembledOperation& each) {
                            return id < each.id;
                          });
  }
  for (; op != operations.end(); ++op) {
    member.watched_any = true;
    member.watched_id = op->id;
    const MatchedCall* call = member.calls->of(*op);
    if (!call || call->key.isMessage()) continue;
    if (member.last_seqs.size() <= call->key.group) {
      member.last_seqs.resize(call->key.group + 1);
    }
    std::uint64_t& last = member.last_seqs[call->key.group];
    last = std::max(last, op->seq);
    const RecentCall recent{op->seq, call->key.group, op->call, op->stack};
    if (member.recent.size() < kRecentCalls) {
      member.recent.push_back(recent);
    } else {
      member.recent[member.next_recent++ % kRecentCalls] = recent;
    }
    if (order_.addCall(call->key.group, op->seq, call->signature)) {
      reportParts(call->key.group, op->seq);
    }
  }
}

void LiveJob::reportParts(std::uint32_t group, std::uint64_t seq) {
  for (const auto& member : members_) {
    for (const RecentCall& recent : member->recent) {
      if (recent.group == group && recent.seq == seq) {
        reportPart(*member, recent);
      }
    }
  }
}

bool LiveJob::dispute(std::uint32_t group, std::uint64_t seq) {
  const bool changed = order_.dispute(group, seq);
  if (changed) reportParts(group, seq);
  return changed;
}

void LiveJob::reportPart(const Member& member, const RecentCall& recent) {
  const StreamTable& table = member.stream.table();
  const v1::Stack* stack = table.definitions.stack(recent.stack);
  const v1::Call& call = table.definitions.calls()[recent.call];
  const std::uint32_t group = table.groupOf(call);
  const Signature signature = signatureOf(call, table.capabilities);
  order_.add(
      recent.group, recent.seq,
      {table.header.rank(), member.calls->all()[recent.call].signature,
       group == StreamDefinitions::kNone
           ? textOf(signature)
           : textOf(signature, table.definitions.groups()[group].members),
       stack ? table.definitions.siteText(*stack) : ""});
}

void LiveJob::count(std::int64_t now_ns, bool starved) {
  ++intervals_;
  ReadyTable ready_times;
  for (const auto& member : members_) {
    learn(*member);
    member->stream.settle(now_ns);
    for (const AssembledOperation& op : member->stream.leftFlight()) {
      addUnseenWait(*member, op);
    }
  }
  for (const auto& member : members_) {
    watchOrder(*member);
    ready_times.add(OwnReadyTimes(member->stream.table(), *member->calls,
                                  member->stream.settled()),
                    clock_, 0);
  }
  blocks_.update(order_, catalog_.groups().size());
  for (const auto& member : members_) {
    countOf(*member, ready_times, now_ns);
    closeUnseenWaits(*member, now_ns);
  }
  late_.update(now_ns, starved);
  links_.update(now_ns, starved);
}

void LiveJob::countOf(Member& member, const ReadyTable& ready_times,
                      std::int64_t now_ns) {
  const StreamTable& table = member.stream.table();
  const absl::Span<const ReadyTime> settled = member.stream.settled();
  const ReadyTable::Stream stream(table, clock_, 0, *member.calls,
                                  {settled.begin(), settled.end()});
  const ReadyRows rows(ready_times, stream);
  std::vector<bool> counted(settled.size(), true);
  std::vector<char> within(member.calls->all().size(), -1);
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    const MatchedCall* matched = member.calls->of(op);
    if (matched) {
      char& here = within[op.call];
      if (here < 0) here = isWithin(*matched) ? 1 : 0;
      const ReadyTable::Row* row = rows.find(op);
      const auto age_ns = between(op.issued, Instant(now_ns));
      const bool may_come = here == 1 && row && row->parts < matched->parts;
      if (may_come && age_ns && *age_ns < kLateNs) {
        counted[i] = false;
        continue;
      }
    }
    addTotals(member, op, splitTime(rows, i), matched);
  }
  member.stream.forget(counted);
}

void LiveJob::closeUnseenWaits(const Member& member, std::int64_t now_ns) {
  const auto found = sums_.ranks.find(member.stream.table().header.rank());
  if (found == sums_.ranks.end() || member.stream.mayHaveMoreInFlight()) return;
  found->second.unseen_waits.close(now_ns);
}

LiveJob::CallAccumulators LiveJob::accumulatorsOf(const Member& member,
                                                  const v1::Call& call) {
  const StreamTable& table = member.stream.table();
  const std::uint32_t local = table.groupOf(call);
  const bool known = local != StreamDefinitions::kNone;
  const std::uint32_t group =
      known ? member.groups[local] : GroupCatalog::kNone;
  const std::uint32_t members =
      known ? table.definitions.groups()[local].members.size() : 0;
  CallAccumulators accumulators;
  accumulators.kind = &sums_.kind(call.op(), group);
  accumulators.rank = &sums_.ranks[table.header.rank()];
  accumulators.times = &sums_.times[call.op()];
  accumulators.message_bytes = messageBytes(call, members);
  accumulators.size = &sums_.size(call.op(), group, accumulators.message_bytes);
  accumulators.bus_factor =
      busFactor(call, members,
                known ? table.definitions.groups()[local].group_rank : 0)
          .value_or(0);
  accumulators.captured = call.graph_plus_1() > 0;
  return accumulators;
}

namespace {

void addBlocked(const AssembledOperation& op, CoverBound& blocked) {
  const auto add = [&blocked](Instant begin, Instant end) {
    if (between(begin, end)) blocked.add(begin.ns(), end.ns());
  };
  add(op.issued, op.returned);
  add(op.blockedFrom(), op.blockedUntil());
}

}  // namespace

void LiveJob::addTotals(Member& member, const AssembledOperation& op,
                        const OperationSplit& split,
                        const MatchedCall* matched) {
  const v1::Call* call = member.stream.table().callOf(op);
  if (!call || call->simulated()) return;
  if (member.accumulators.size() <= op.call)
    member.accumulators.resize(op.call + 1);
  CallAccumulators& accumulators = member.accumulators[op.call];
  if (!accumulators.kind) accumulators = accumulatorsOf(member, *call);
  const OperationSample sample = sampleOf(op);
  if (!member.stream.isInFlight(op)) addUnseenWait(member, op);
  addBlocked(op, accumulators.rank->blocked);
  for (CallTotals* totals : {accumulators.kind, &accumulators.rank->totals}) {
    addTo(*totals, op, sample, {accumulators.captured, op.batch > 0, false});
    totals->bytes_in += call->bytes_in();
    totals->bytes_out += call->bytes_out();
    totals->bytes += std::max(call->bytes_in(), call->bytes_out());
    totals->split.add(split);
  }
  if (split.wait_for_peers) {
    accumulators.times->wait_for_peers.add(
        notBelowZero(split.wait_for_peers->ns));
  }
  if (split.ready) {
    addLateness(split, *matched, member.stream.table().header.rank(),
                accumulators.rank->lateness);
  }
  if (matched) addTransfer(member, accumulators, op, split, *matched);
  if (!sample.completion_ns) return;
  const bool is_collective = matched && !matched->key.isMessage();
  if (is_collective && matched->key.group < LiveSums::kMaxGroups) {
    sums_.groups[{member.stream.table().header.rank(), matched->key.group}].add(
        op.issued.ns(), op.ended.ns());
  }
  accumulators.times->completion.add(*sample.completion_ns);
  if (op.batch == 0) addSize(accumulators, *sample.completion_ns);
}

void LiveJob::addUnseenWait(const Member& member,
                            const AssembledOperation& op) {
  const bool is_added =
      op.call < member.accumulators.size() && member.accumulators[op.call].kind;
  if (!is_added) return;
  const CallAccumulators& accumulators = member.accumulators[op.call];
  const StreamTable& table = member.stream.table();
  const v1::Call& call = *table.callOf(op);
  const bool is_member = op.batch > 0 && call.op() != v1::OPERATION_COALESCED;
  if (is_member || !mayHaveUnseenWait(op, table)) return;
  ++accumulators.kind->waits_unknown;
  ++accumulators.rank->totals.waits_unknown;
  const Instant begin = unseenWaitBegin(op, table);
  const Instant end = unseenWaitEnd(op, table);
  CoverBound& bound = accumulators.rank->unseen_waits;
  end.known() ? bound.add(begin.ns(), end.ns()) : bound.addOpen(begin.ns());
}

void LiveJob::addTransfer(Member& member, CallAccumulators& accumulators,
                          const AssembledOperation& op,
                          const OperationSplit& split,
                          const MatchedCall& matched) {
  if (!split.transfer || !split.ready_ns || op.batch > 0) return;
  if (!accumulators.links) {
    const StreamTable& table = member.stream.table();
    accumulators.links =
        links_.linksOf(table, table.definitions.calls()[op.call], matched,
                       catalog_.groups()[matched.key.group].members);
  }
  Transfer transfer{*split.ready_ns, split.transfer->low_ns,
                    split.transfer->high_ns};
  if (isLateBound(op)) {
    // An earlier end would have been noticed while the caller was watching.
    const auto watched_ns = between(watchedSince(op), op.ended).value_or(0);
    transfer.low_ns =
        std::min(split.transfer->ns, static_cast<std::int64_t>(watched_ns));
  }
  LiveLinks::add(*accumulators.links, op.seq, transfer);
}

void LiveJob::addLateness(const OperationSplit& split,
                          const MatchedCall& matched, std::uint32_t rank,
                          LiveSums::Lateness& lateness) {
  ++lateness.ready_times;
  if (!split.ready->is_last) return;
  ++lateness.last;
  lateness.behind_ns += split.ready->behind_ns;
  lateness.caused_ns += (matched.group_size - 1) * split.ready->behind_ns;
  late_.add(rank, split.ready->behind_ns);
}

void LiveJob::addSize(const CallAccumulators& accumulators,
                      std::uint64_t completion_ns) {
  LiveSums::OfSize& size = *accumulators.size;
  if (size.interval != intervals_) {
    size = {};
    size.interval = intervals_;
  }
  size.completion.add(completion_ns);
  if (accumulators.bus_factor == 0 || completion_ns == 0) return;
  size.busbw_gbs += static_cast<double>(accumulators.message_bytes) *
                    accumulators.bus_factor /
                    static_cast<double>(completion_ns);
  ++size.with_busbw;
}

}  // namespace traced
