#include "cli/serve/hosts/job_digest.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/live/order_digest.h"
#include "analysis/stream/names.h"
#include "cli/serve/hosts/digest_bounds.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Returns the fields of a header that identify a run, with bounded texts.
v1::Header headerOf(const v1::Header& header) {
  v1::Header result;
  result.set_job(boundedText(header.job()));
  result.set_attempt(header.attempt());
  result.set_world_size(header.world_size());
  v1::Rendezvous& met = *result.mutable_rendezvous();
  met.set_address(boundedText(header.rendezvous().address()));
  met.set_port(header.rendezvous().port());
  met.set_run_id(boundedText(header.rendezvous().run_id()));
  met.set_start(boundedText(header.rendezvous().start()));
  return result;
}

v1::Group groupOf(const JobGroup& group, std::uint32_t id) {
  v1::Group result;
  result.set_id(id);
  result.set_name(boundedText(group.name));
  result.set_desc(boundedText(group.desc));
  result.set_leg(boundedText(group.leg));
  result.set_nth(group.nth);
  result.set_size(group.members.size());
  for (const RankList::Run& run : group.members.runs()) {
    v1::RankRange& range = *result.add_member();
    range.set_first(run.first);
    range.set_count(run.count);
    range.set_stride(static_cast<std::int32_t>(run.stride));
  }
  return result;
}

v1::Divergence divergenceOf(const OrderWatch::Divergence& divergence) {
  v1::Divergence result;
  result.set_seq(divergence.seq);
  for (const OrderWatch::Part& part : divergence.parts) {
    v1::Divergence::Part& each = *result.add_parts();
    each.set_rank(part.rank);
    each.set_signature(part.signature);
    each.set_call(boundedText(part.call));
    each.set_site(boundedText(part.site));
  }
  return result;
}

// By group and operation number.
using Waits = std::map<std::pair<std::uint32_t, std::uint64_t>, v1::Waiting>;

// Adds the collectives that have been in flight on a rank for `after` or
// longer. `now_ns` is on this host's CLOCK_MONOTONIC.
void addWaits(const LiveJob::Member& member, std::chrono::nanoseconds after,
              std::int64_t now_ns, Waits& waits) {
  const StreamTable& table = member.stream.table();
  member.stream.forEachInFlight([&](const AssembledOperation& op) {
    const auto age_ns = between(op.issued, Instant(now_ns));
    const MatchedCall* call = member.calls ? member.calls->of(op) : nullptr;
    if (!call || call->key.isMessage() || !age_ns ||
        *age_ns < static_cast<std::uint64_t>(after.count())) {
      return;
    }
    v1::Waiting& waiting = waits[{call->key.group, op.seq}];
    if (waiting.ranks().empty()) {
      waiting.set_seq(op.seq);
      waiting.set_op(nameOf(table.callOf(op)->op()));
      waiting.set_site(boundedText(table.siteOf(op)));
    }
    waiting.add_ranks(table.header.rank());
    waiting.set_waiting_ns(std::max(waiting.waiting_ns(), *age_ns));
  });
}

void addFindings(const LiveJob& job, v1::JobDigest& digest) {
  if (const auto& late = job.late()) {
    v1::Straggler& straggler = *digest.mutable_straggler();
    straggler.set_rank(late->rank);
    straggler.set_of_time(late->of_time);
    straggler.set_of_waiting(late->of_waiting);
  }
  for (const LiveLinks::Slow& slow : job.slowLinks()) {
    v1::SlowPeer& slow_peer = *digest.add_slow_peers();
    slow_peer.mutable_ranks()->Assign(slow.ranks.begin(), slow.ranks.end());
    slow_peer.set_group(boundedText(job.groups().label(slow.group)));
    slow_peer.set_what(boundedText(transfersText(slow.worst)));
    slow_peer.set_median_ns(slow.worst.median_ns);
    slow_peer.set_others_ns(slow.worst.others_ns);
    slow_peer.set_of_time(slow.of_time);
  }
}

}  // namespace

v1::JobDigest jobDigest(const WatchedJobs::Job& job,
                        std::chrono::nanoseconds waiting_after,
                        std::int64_t now_ns) {
  v1::JobDigest digest;
  *digest.mutable_header() = headerOf(job.live.header());
  for (const WatchedJobs::Rank& rank : job.ranks) {
    *digest.add_ranks() = rankDigest(rank, job.live.sums(), now_ns);
  }
  const bool alive =
      std::any_of(job.ranks.begin(), job.ranks.end(),
                  [](const WatchedJobs::Rank& rank) { return rank.alive; });
  const auto& groups = job.live.groups().groups();
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    v1::GroupDigest& group = *digest.add_groups();
    *group.mutable_group() = groupOf(groups[i], i + 1);
    group.set_label(boundedText(groups[i].label));
  }
  Waits waits;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const auto& member = job.live.members()[i];
    for (const std::uint32_t group : member->groups) {
      v1::GroupDigest& group_digest =
          *digest.mutable_groups(static_cast<int>(group));
      group_digest.add_rank(member->stream.table().header.rank());
      group_digest.add_last_seq(member->lastSeq(group));
    }
    if (job.ranks[i].alive) addWaits(*member, waiting_after, now_ns, waits);
  }
  for (auto& [key, waiting] : waits) {
    *digest.mutable_groups(static_cast<int>(key.first))->add_waiting() =
        std::move(waiting);
  }
  for (const OrderWatch::Divergence& each : job.live.divergences()) {
    *digest.mutable_groups(static_cast<int>(each.group))->mutable_divergence() =
        divergenceOf(each);
  }
  if (alive) addFindings(job.live, digest);
  return digest;
}

void addOrders(const WatchedJobs::Job& job, const SpelledBlocks& spelled,
               v1::JobDigest& digest) {
  for (int i = 0; i < digest.groups_size(); ++i) {
    v1::GroupDigest& group = *digest.mutable_groups(i);
    if (isWithinHost(group)) continue;
    const auto index = static_cast<std::uint32_t>(i);
    const auto block = spelled.find(index);
    *group.mutable_order() = orderDigest(
        job.live.order(), index,
        block == spelled.end() ? std::nullopt
                               : std::optional<std::uint64_t>(block->second));
  }
}

}  // namespace traced
