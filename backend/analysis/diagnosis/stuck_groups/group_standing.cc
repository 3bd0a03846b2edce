#include "analysis/diagnosis/stuck_groups/group_standing.h"

#include <algorithm>

#include "analysis/job/dependency.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

constexpr std::uint64_t kNowhere = GroupStanding::kNowhere;

std::uint64_t firstOf(const SeqRanges& ranges) {
  return ranges.empty() ? kNowhere : ranges.ranges().front().first;
}

// Returns the first operation that some ranks have not joined or not ended.
std::uint64_t locate(const JobState& job, const CollectiveTable& table,
                     const std::vector<std::uint32_t>& present) {
  std::uint64_t seq = kNowhere;
  std::uint64_t least = kNowhere;
  std::uint64_t most = 0;
  for (const MemberProgress& member : table.members()) {
    least = std::min(least, member.lastCalled());
    most = std::max(most, member.lastCalled());
    const std::uint64_t unended = member.firstUnended();
    if (unended > 0) seq = std::min(seq, unended);
    seq = std::min(seq, firstOf(member.failed));
  }
  for (const std::uint32_t rank : present) {
    if (!table.member(rank) && !job.rank(rank)->forgets) least = 0;
  }
  if (least < most) seq = std::min(seq, least + 1);
  // Numbers start where the first complete trace starts.
  const bool before_all =
      least == 0 && seq != kNowhere && table.hasRecords() &&
      table.signatureOf(seq) == CollectiveTable::kNoSignature;
  return before_all ? table.firstSeq() : seq;
}

void sortMembers(GroupStanding& standing, const CollectiveTable& table) {
  const std::uint64_t seq = standing.seq;
  for (const std::uint32_t rank : standing.members.present) {
    const MemberProgress* member = table.member(rank);
    if (!member && standing.job().rank(rank)->forgets) {
      standing.unknown.push_back(rank);
    } else if (!member || member->lastCalled() < seq) {
      standing.missing.push_back(rank);
    } else if (member->failed.contains(seq)) {
      standing.failed.push_back(rank);
    } else if (member->isInside(seq)) {
      standing.inside.push_back(rank);
    } else if (member->counters) {
      standing.ended.push_back(rank);
    } else if (!member->joined(seq)) {
      standing.unknown.push_back(rank);
    } else if (member->not_observed.contains(seq)) {
      standing.not_observed.push_back(rank);
    } else {
      standing.ended.push_back(rank);
    }
  }
}

// Treats missing ranks as unknown if the operation needs all ranks and one
// ended it. All must have joined it, so their dumps are merely older.
void forgiveOlderDumps(GroupStanding& standing) {
  const bool older = !standing.absence.knowsAges() && !standing.ended.empty() &&
                     standing.needsAll();
  if (!older) return;
  addRanks(standing.unknown, standing.missing);
  standing.missing.clear();
}

// Counts ranks as inside an operation that needs all ranks if some are missing,
// even if their ends could not be observed.
void waitForMissing(GroupStanding& standing, const CollectiveTable& table) {
  const auto isWhole = [&](std::uint32_t rank) {
    return standing.job().rank(rank)->whole();
  };
  const std::vector<std::uint32_t>& missing = standing.missing;
  if (std::none_of(missing.begin(), missing.end(), isWhole) ||
      !standing.absence.knowsAges() || !standing.needsAll()) {
    return;
  }
  std::erase_if(standing.not_observed, [&](std::uint32_t rank) {
    const bool unseen = table.member(rank)->unseen.contains(standing.seq);
    if (unseen) standing.by_need.push_back(rank);
    return unseen;
  });
  addRanks(standing.inside, standing.by_need);
}

// Measures the waits. A rank that died inside stopped waiting when it died.
void measureWaits(GroupStanding& standing) {
  std::int64_t until_ns = 0;
  for (const auto* ranks : {&standing.inside, &standing.failed}) {
    for (const std::uint32_t rank : *ranks) {
      const OperationRef* ref =
          standing.absence.refAtOrAfter(rank, standing.group, standing.seq);
      if (!ref) continue;
      standing.at_least |= ref->seq != standing.seq;
      standing.since_ns =
          std::max(standing.since_ns.value_or(ref->at_ns), ref->at_ns);
      if (!standing.absence.knowsAges()) continue;
      const std::int64_t waited = standing.absence.waitedNs(rank, *ref);
      standing.longest_ns = std::max(standing.longest_ns, waited);
      const std::int64_t end_ns = ref->at_ns + waited;
      until_ns = std::max(until_ns, end_ns);
      if (ranks == &standing.failed) {
        standing.failed_ns =
            std::min(standing.failed_ns.value_or(end_ns), end_ns);
      }
    }
  }
  const bool is_known = standing.since_ns && standing.absence.knowsAges();
  if (is_known) standing.waited_ns = until_ns - *standing.since_ns;
}

std::optional<GroupStanding> standingAt(const AbsenceEvidence& absence,
                                        std::uint32_t group,
                                        std::uint64_t seq) {
  if (seq == kNowhere) return std::nullopt;
  GroupStanding standing(absence, group);
  standing.seq = seq;
  sortMembers(standing, absence.job().groups[group].collectives);
  forgiveOlderDumps(standing);
  waitForMissing(standing, absence.job().groups[group].collectives);
  measureWaits(standing);
  return standing;
}

}  // namespace

std::optional<GroupStanding> standingOf(const AbsenceEvidence& absence,
                                        std::uint32_t group) {
  const CollectiveTable& table = absence.job().groups[group].collectives;
  if (table.members().empty()) return std::nullopt;
  return standingAt(
      absence, group,
      locate(absence.job(), table, absence.job().membersOf(group).present));
}

std::optional<GroupStanding> standingAfter(const AbsenceEvidence& absence,
                                           std::uint32_t group,
                                           std::uint64_t seq) {
  const CollectiveTable& table = absence.job().groups[group].collectives;
  std::uint64_t first = kNowhere;
  for (const MemberProgress& member : table.members()) {
    for (const std::uint64_t each :
         {member.firstUnended(), firstOf(member.failed)}) {
      if (each > seq) first = std::min(first, each);
    }
  }
  return standingAt(absence, group, first);
}

std::vector<std::uint32_t> GroupStanding::joined() const {
  std::vector<std::uint32_t> joined = inside;
  for (const auto* ranks : {&failed, &not_observed, &ended}) {
    addRanks(joined, *ranks);
  }
  return joined;
}

bool GroupStanding::onDevice() const { return !engine().on_host; }

bool GroupStanding::closedInside() const {
  return std::any_of(inside.begin(), inside.end(), [this](std::uint32_t rank) {
    return job().rank(rank)->closed;
  });
}

const GroupStop* GroupStanding::stopOn(std::uint32_t rank) const {
  const GroupStop* stop = job().rank(rank)->stopOf(group);
  return stop && stop->last_seq >= seq ? stop : nullptr;
}

std::optional<std::int64_t> GroupStanding::waitedUntilEndOf(
    std::uint32_t rank) const {
  const RankState& state = *job().rank(rank);
  if (!state.end.mayBeConsequence() || !state.end_seen_ns) return std::nullopt;
  std::optional<std::int64_t> longest;
  const auto take = [&](std::uint32_t other, const OperationRef& ref) {
    if (job().rank(other)->clock != state.clock) return;
    const std::int64_t waited =
        std::min(*state.end_seen_ns - ref.at_ns, absence.waitedNs(other, ref));
    longest = std::max(longest.value_or(waited), waited);
  };
  for (const auto* ranks : {&inside, &failed}) {
    for (const std::uint32_t other : *ranks) {
      const OperationRef* ref = absence.refAtOrAfter(other, group, seq);
      const auto& failure = job().rank(other)->first_failure;
      if (!ref && failure) ref = &*failure;
      if (ref) take(other, *ref);
    }
  }
  if (longest && absence.isStuck(*longest)) return longest;
  // A rank that has not joined this operation has not joined later ones either,
  // nor any later message.
  const auto waitsForIt = [&](const OperationRef& ref) {
    if (ref.pair) return ref.pair->first == rank || ref.pair->second == rank;
    if (ref.group == group) return ref.seq > seq;
    // The group's definition may be lost.
    if (ref.group == GroupCatalog::kNone) return false;
    const MemberProgress* progress =
        job().groups[ref.group].collectives.member(rank);
    return progress && !progress->joined(ref.seq);
  };
  for (const RankState& other : job().ranks) {
    if (other.rank == rank) continue;
    for (const OperationRef& ref : other.inside) {
      if (waitsForIt(ref)) take(other.rank, ref);
    }
    const auto& failure = other.first_failure;
    if (failure && waitsForIt(*failure)) take(other.rank, *failure);
  }
  return longest;
}

namespace {

// Returns whether the operation had failed on another rank before this rank's
// end was recorded. Without a timeout, requires a margin, because ends may be
// recorded late.
bool failedBefore(const GroupStanding& standing, const RankState& state) {
  constexpr std::int64_t kSeenLateNs = 1'000'000'000;
  return std::any_of(
      standing.failed.begin(), standing.failed.end(), [&](std::uint32_t rank) {
        const RankState& other = *standing.job().rank(rank);
        const OperationRef* failure = standing.failureOn(rank);
        if (!failure || other.clock != state.clock) return false;
        const std::int64_t end_ns =
            failure->at_ns + standing.absence.waitedNs(rank, *failure);
        return *state.end_seen_ns - end_ns >
               (failure->timedOut() ? 0 : kSeenLateNs);
      });
}

}  // namespace

bool GroupStanding::othersWereStuckBeforeEndOf(std::uint32_t rank) const {
  const auto longest = waitedUntilEndOf(rank);
  if (!longest || !absence.knowsAges()) return false;
  return absence.isStuck(*longest) || failedBefore(*this, *job().rank(rank));
}

bool GroupStanding::someGaveUp() const {
  const std::vector<std::uint32_t> all = joined();
  return std::any_of(all.begin(), all.end(), [this](std::uint32_t rank) {
    const GroupStop* stop = stopOn(rank);
    return stop && stop->gave_up;
  });
}

bool GroupStanding::isAborted() const {
  return failed.empty() && !inside.empty() &&
         std::all_of(inside.begin(), inside.end(), [this](std::uint32_t rank) {
           const GroupStop* stop = stopOn(rank);
           return stop && !stop->gave_up;
         });
}

const OperationRef* GroupStanding::failureOn(std::uint32_t rank) const {
  const auto& failure = job().rank(rank)->first_failure;
  const bool here = failure && failure->group == group && failure->seq == seq;
  return here ? &*failure : nullptr;
}

bool GroupStanding::needsAll() const {
  const std::uint32_t signature =
      job().groups[group].collectives.signatureOf(seq);
  if (signature == CollectiveTable::kNoSignature) return false;
  const Signature& called = job().signatures.at(signature);
  const bool barrier = called.op == v1::OPERATION_BARRIER;
  return needsAllMembers(called.op) && (barrier || called.bytes() > 0);
}

std::string GroupStanding::op() const {
  const std::uint32_t signature =
      job().groups[group].collectives.signatureOf(seq);
  return signature == CollectiveTable::kNoSignature
             ? ""
             : nameOf(job().signatures.at(signature).op);
}

StuckOperation GroupStanding::stuck() const {
  StuckOperation stuck;
  stuck.inside = inside;
  addRanks(stuck.inside, failed);
  stuck.blocked = absence.blockedIn(inside, group, seq, std::nullopt);
  stuck.perhaps = perhaps();
  stuck.needs_all = needsAll() && engine().ends_prove_starts;
  for (const std::uint32_t rank : stuck.inside) {
    const OperationRef* ref = absence.refOn(rank, group, seq, std::nullopt);
    if (ref) stuck.issued_ns[rank] = ref->at_ns;
  }
  stuck.may_be_held_up = missing.empty() && onDevice();
  stuck.some_ended = !ended.empty();
  for (const std::uint32_t rank : ended) {
    const MemberProgress* member = job().groups[group].collectives.member(rank);
    const bool waits = stuck.may_be_held_up && member->firstUnended() > seq;
    if (waits) stuck.waiting_behind.push_back(rank);
  }
  stuck.missing = missing;
  stuck.verdict.group = group;
  stuck.verdict.seq = seq;
  stuck.verdict.op = op();
  stuck.verdict.since_ns = since_ns;
  if (!inside.empty() && longest_ns > 0 && absence.knowsAges()) {
    stuck.verdict.waited_ns = longest_ns;
  }
  return stuck;
}

}  // namespace traced
