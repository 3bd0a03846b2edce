#include "analysis/diagnosis/job_state/job_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/diagnosis/job_state/rank_reader.h"
#include "analysis/job/run_filters.h"

namespace traced {
namespace {

// Maximum number of timings for all ranks together, at 64 bytes each.
constexpr std::uint64_t kMaxTimings = 500'000;

// Returns the sampling stride that keeps the run below kMaxTimings. An
// operation takes at least two positions of the ring.
std::uint64_t strideFor(const TraceSet& set) {
  std::uint64_t positions = 0;
  for (const std::size_t i : set.selected) {
    const std::vector<ChunkRef>& chunks = set.streams[i].chunks;
    if (!chunks.empty()) {
      positions += chunks.back().end_position - chunks.front().first_position;
    }
  }
  return 1 + positions / 2 / kMaxTimings;
}

}  // namespace

const RankState* JobState::rank(std::uint32_t rank) const {
  // Fast path: without absent ranks, the index equals the rank.
  if (rank < ranks.size() && ranks[rank].rank == rank) return &ranks[rank];
  const auto found = std::lower_bound(
      ranks.begin(), ranks.end(), rank,
      [](const RankState& s, std::uint32_t r) { return s.rank < r; });
  return found != ranks.end() && found->rank == rank ? &*found : nullptr;
}

// Iterates over the members or over the traces, whichever are fewer. A group
// may claim many more members than there are traces, and a job may have many
// small groups.
JobState::Membership JobState::membersOf(std::uint32_t group) const {
  const RankList& members = catalog.groups()[group].members;
  Membership membership;
  if (members.size() == 0) {
    // The members are unknown: use the ranks that called something in the
    // group.
    for (const MemberProgress& member : groups[group].collectives.members()) {
      membership.present.push_back(member.rank);
    }
    return membership;
  }
  if (members.size() <= ranks.size()) {
    members.forEach([&](std::uint32_t member) {
      if (rank(member)) membership.present.push_back(member);
    });
    std::sort(membership.present.begin(), membership.present.end());
  } else {
    for (const RankState& state : ranks) {
      if (members.contains(state.rank)) {
        membership.present.push_back(state.rank);
      }
    }
  }
  const std::size_t absent =
      std::min(members.size() - std::min<std::size_t>(
                                    members.size(), membership.present.size()),
               Membership::kMaxAbsent);
  for (std::uint32_t i = 0;
       i < members.size() && membership.absent.size() < absent; ++i) {
    const std::uint32_t member = *members.at(i);
    if (!rank(member)) membership.absent.push_back(member);
  }
  std::sort(membership.absent.begin(), membership.absent.end());
  return membership;
}

bool JobState::mostArePresent(std::uint32_t group) const {
  return std::size_t{4} * membersOf(group).present.size() >=
         std::size_t{3} * catalog.groups()[group].members.size();
}

JobStateBuilder::JobStateBuilder(const TraceSet& set) : set_(set) {
  job_.stride = strideFor(set);
  const std::vector<std::uint32_t> ids = clockIds(set);
  for (const std::size_t i : set.selected) {
    clock_names_.push_back(ids[i]);
  }
  most_long_ = std::max<std::size_t>(
      kMaxTimings / 2 / std::max<std::size_t>(set.selected.size(), 1), 8);
  job_.ranks.reserve(set.selected.size());
}

void JobStateBuilder::add(const StreamTable& table) {
  const std::size_t index = job_.ranks.size();
  job_.capabilities = job_.capabilities.sharedWith(table.capabilities);
  if (table.accounts.left_out() > 0) {
    job_.capabilities =
        job_.capabilities.without(SourceCapability::kEveryOperation);
  }
  RankReader(job_, table, job_.stride, most_long_).read(clock_names_[index]);
}

namespace {

// Returns whether the counters of a group equal sequence numbers of its
// collectives. A backend that also carries messages in the group counts these
// too, so a rank's counter differs from its last record. A call that is stuck
// while being enqueued has a record but is not counted yet, hence the tolerance
// of 1.
bool countsCollectives(const GroupState& group) {
  if (group.has_messages) return false;
  return std::all_of(
      group.counted.begin(), group.counted.end(), [&](const auto& counted) {
        const auto& [rank, counters] = counted;
        const MemberProgress* member = group.collectives.member(rank);
        const std::uint64_t last = member ? member->last : 0;
        return last == 0 || last == counters.enqueued ||
               last == counters.enqueued + 1;
      });
}

// Returns whether one rank may have left out messages of the other.
bool mayLeaveOut(const JobGroup& group, const NodeIndex& nodes,
                 const PairKey& pair) {
  if (group.left_out || !group.leaves_out_messages) return group.left_out;
  const NodeIndex::Node* source = nodes.of(pair.source);
  const NodeIndex::Node* destination = nodes.of(pair.destination);
  return !source || !destination || source == destination;
}

}  // namespace

// Discards groups and pairs that some rank left out: calls of that rank may be
// missing.
JobState JobStateBuilder::finish(AlignedClocks clocks) && {
  for (const std::size_t i : set_.selected) {
    job_.clocks.push_back(std::move(clocks.models[i]));
  }
  const std::vector<ClockCursor> cursors(job_.clocks.begin(),
                                         job_.clocks.end());
  putOnCommonTime(cursors, job_);
  job_.summary.setClockWarnings(std::move(clocks.warnings));
  for (GroupState& group : job_.groups) {
    if (countsCollectives(group)) group.collectives.count(group.counted);
  }
  const std::vector<JobGroup>& groups = job_.catalog.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].left_out) job_.groups[i] = {};
  }
  const NodeIndex nodes(set_);
  for (auto pair = job_.pairs.begin(); pair != job_.pairs.end();) {
    const PairKey& key = pair->first;
    pair = mayLeaveOut(groups[key.group], nodes, key) ? job_.pairs.erase(pair)
                                                      : std::next(pair);
  }
  return std::move(job_);
}

JobState readJob(const TraceSet& set, std::size_t threads) {
  JobStateBuilder builder(set);
  AlignedClocks clocks = readAndAlign(
      set, threads,
      [&](std::size_t, const StreamTable& table) { builder.add(table); });
  return std::move(builder).finish(std::move(clocks));
}

}  // namespace traced
