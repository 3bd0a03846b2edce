#include "analysis/live/live_job.h"

#include <algorithm>
#include <utility>

#include "analysis/figures/bandwidth.h"
#include "analysis/job/signature.h"
#include "analysis/report/operation_sample.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/time_split.h"
#include "trace_io/message_size.h"

namespace traced {

LiveStream& LiveJob::add(const v1::Header& header) {
  clock_.set_source(v1::CLOCK_SOURCE_SAME_CLOCK);
  // Groups that are called alike are numbered as a report does it: in the order
  // of the ranks.
  const auto place = std::upper_bound(
      members_.begin(), members_.end(), header.rank(),
      [](std::uint32_t rank, const std::unique_ptr<Member>& each) {
        return rank < each->stream.table().header.rank();
      });
  return (*members_.insert(place, std::make_unique<Member>(header)))->stream;
}

// What was defined since.
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
  const auto runsHere = [this](std::uint32_t rank) {
    return std::any_of(members_.begin(), members_.end(), [&](const auto& each) {
      return each->stream.table().header.rank() == rank;
    });
  };
  if (call.key.source != OperationKey::kNoRank) {
    return runsHere(call.key.source) && runsHere(call.key.destination);
  }
  // As many as run here can be.
  if (ranks.size() > members_.size()) return false;
  bool all = true;
  ranks.forEach([&](std::uint32_t rank) { all = all && runsHere(rank); });
  return all;
}

void LiveJob::watchOrder(Member& member) {
  const std::vector<AssembledOperation>& operations =
      member.stream.table().operations;
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
    if (!call || call->key.source != OperationKey::kNoRank) continue;
    if (!order_.isNews(call->key.group, op->seq, call->signature)) continue;
    tellPart(member, *op, *call);
    // Those who called it before.
    for (const auto& other : members_) {
      for (const AssembledOperation& each : other->stream.table().operations) {
        const MatchedCall* same =
            other->calls ? other->calls->of(each) : nullptr;
        if (same && same->key == call->key && each.seq == op->seq) {
          tellPart(*other, each, *same);
        }
      }
    }
  }
}

void LiveJob::tellPart(const Member& member, const AssembledOperation& op,
                       const MatchedCall& call) {
  const StreamTable& table = member.stream.table();
  order_.add(call.key.group, op.seq,
             {table.header.rank(), call.signature,
              textOf(signatureOf(*table.callOf(op), table.evidence)),
              table.siteOf(op)});
}

void LiveJob::count(std::int64_t now_ns) {
  ++intervals_;
  ArrivalTable arrivals;
  for (const auto& member : members_) {
    learn(*member);
    member->stream.settle(now_ns);
  }
  for (const auto& member : members_) {
    watchOrder(*member);
    arrivals.add(OwnArrivals(member->stream.table(), *member->calls,
                             member->stream.settled()),
                 clock_, 0);
  }
  for (const auto& member : members_) countOf(*member, arrivals, now_ns);
}

void LiveJob::countOf(Member& member, const ArrivalTable& arrivals,
                      std::int64_t now_ns) {
  const StreamTable& table = member.stream.table();
  const absl::Span<const ReadyTime> settled = member.stream.settled();
  const ArrivalTable::Stream stream(table, clock_, 0, *member.calls,
                                    {settled.begin(), settled.end()});
  const ArrivalRows rows(arrivals, stream);
  std::vector<bool> counted(settled.size(), true);
  std::vector<char> within(member.calls->all().size(), -1);
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    const MatchedCall* matched = member.calls->of(op);
    if (matched) {
      char& here = within[op.call];
      if (here < 0) here = isWithin(*matched) ? 1 : 0;
      const ArrivalTable::Row* row = rows.find(op);
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

void LiveJob::addTotals(Member& member, const AssembledOperation& op,
                        const OperationSplit& split,
                        const MatchedCall* matched) {
  const StreamTable& table = member.stream.table();
  const v1::Call* call = table.callOf(op);
  if (!call || call->simulated()) return;
  const std::uint32_t local = table.groupOf(*call);
  const bool known = local != StreamDefinitions::kNone;
  const std::uint32_t group =
      known ? member.groups[local] : GroupCatalog::kNone;
  const std::uint32_t members =
      known ? table.definitions.groups()[local].members.size() : 0;
  const std::string op_name = nameOf(call->op());
  const OperationSample sample = sampleOf(op);
  CallTotals one;
  addTo(one, op, sample, {call->graph_plus_1() > 0, op.batch > 0, false});
  one.bytes_in = call->bytes_in();
  one.bytes_out = call->bytes_out();
  one.bytes = std::max(one.bytes_in, one.bytes_out);
  one.split.add(split);
  sums_.kind(op_name, group).add(one);
  LiveSums::OfRank& rank = sums_.ranks[table.header.rank()];
  rank.totals.add(one);
  LiveSums::Times& times = sums_.times[op_name];
  if (sample.completion_ns) times.completion.add(*sample.completion_ns);
  if (split.wait_for_peers) {
    times.wait_for_peers.add(notBelowZero(split.wait_for_peers->ns));
  }
  if (split.arrival) {
    ++rank.lateness.arrivals;
    if (split.arrival->is_last) {
      ++rank.lateness.last;
      rank.lateness.behind_ns += split.arrival->behind_ns;
      rank.lateness.caused_ns +=
          (matched->group_size - 1) * split.arrival->behind_ns;
    }
  }
  if (!sample.completion_ns || op.batch > 0) return;
  const std::uint64_t bytes = messageBytes(*call, members);
  LiveSums::OfSize& size = sums_.size(op_name, group, bytes, intervals_);
  ++size.calls;
  size.completion.add(*sample.completion_ns);
  const auto factor = busFactor(call->op(), members);
  if (!factor || *sample.completion_ns == 0) return;
  size.busbw_gbs += static_cast<double>(bytes) * *factor /
                    static_cast<double>(*sample.completion_ns);
  ++size.with_busbw;
}

}  // namespace traced
