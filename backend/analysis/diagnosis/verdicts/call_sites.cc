#include "analysis/diagnosis/verdicts/call_sites.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

constexpr std::size_t kMaxRanksOfAVerdict = 4;
constexpr std::size_t kMaxRanks = 16;

// Returns the ranks whose call sites to find: culprits first, then ranks for
// comparison.
std::vector<std::uint32_t> ranksToAsk(const JobState& job,
                                      const JobVerdict& verdict) {
  std::vector<std::uint32_t> ranks = verdict.culprits;
  const std::vector<std::uint32_t> members =
      job.membersOf(verdict.group).present;
  for (const auto* more : {&verdict.ranks, &members}) {
    for (const std::uint32_t rank : *more) {
      if (ranks.size() >= kMaxRanksOfAVerdict) break;
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
        ranks.push_back(rank);
      }
    }
  }
  ranks.resize(std::min(ranks.size(), kMaxRanksOfAVerdict));
  return ranks;
}

// Returns whether a rank's operation is the one that a verdict is about.
bool isAbout(const JobVerdict& verdict, std::uint32_t group, std::uint32_t rank,
             const AssembledOperation& op, const v1::Call& call) {
  const std::uint64_t seq = verdict.seq > 0 ? verdict.seq : verdict.since_seq;
  if (group != verdict.group || op.seq != seq) return false;
  if (!verdict.pair) return !isPointToPoint(call.op());
  const auto [source, destination] = *verdict.pair;
  const bool sends = call.op() == v1::OPERATION_SEND;
  return isPointToPoint(call.op()) &&
         call.peer_global_plus_1() ==
             std::uint64_t{sends ? destination : source} + 1 &&
         rank == (sends ? source : destination);
}

void findIn(const StreamTable& table,
            const std::vector<std::uint32_t>& group_indices,
            const std::vector<JobVerdict*>& verdicts) {
  const std::uint32_t rank = table.header.rank();
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (!call || op.seq == 0) continue;
    const std::uint32_t local = table.groupOf(*call);
    if (local == StreamDefinitions::kNone) continue;
    for (JobVerdict* verdict : verdicts) {
      if (!isAbout(*verdict, group_indices[local], rank, op, *call)) continue;
      CallSite place = callSiteOf(table, op);
      if (place.known()) verdict->places.emplace_back(rank, std::move(place));
    }
  }
}

// Adds which ranks called the operation where, grouped by call site.
void reportSites(JobVerdict& verdict) {
  if (verdict.seq == 0) {  // the first operation is only an example
    for (const auto& [rank, place] : verdict.places) {
      if (!place.step) continue;
      verdict.reasons.push_back(BeganInStep{*place.step});
      break;
    }
    return;
  }
  absl::btree_map<CallSite, CalledAt> calls;
  for (const auto& [rank, place] : verdict.places) {
    CalledAt& call = calls[place];
    if (!call.place) call.place = std::make_shared<const CallSite>(place);
    call.ranks.push_back(rank);
  }
  for (auto& [place, call] : calls) verdict.reasons.push_back(std::move(call));
}

// Returns the exception that a rank was handling when it made the call, or the
// call it is inside of. Empty if none.
std::string handledBy(const JobState& job, const JobVerdict& verdict,
                      std::uint32_t rank) {
  for (const auto& [each, place] : verdict.places) {
    if (each == rank) return place.handling;
  }
  const RankState* state = job.rank(rank);
  const bool is_inside = state && !state->inside.empty();
  const CallSite* place =
      is_inside ? state->inside.back().place.get() : nullptr;
  return place ? place->handling : "";
}

// Adds to the summary the exceptions that only culprits handled. Whether such
// an exception was the cause is not recorded: a program may retry in its
// handler.
void reportHandled(const JobState& job, JobVerdict& verdict) {
  if (verdict.seq == 0) return;
  absl::btree_map<std::string, std::vector<std::uint32_t>> handling;
  for (const std::uint32_t rank : ranksToAsk(job, verdict)) {
    const std::string handled = handledBy(job, verdict, rank);
    if (!handled.empty()) handling[handled].push_back(rank);
  }
  for (const auto& [handled, ranks] : handling) {
    const bool only_culprits =
        std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
          return std::find(verdict.culprits.begin(), verdict.culprits.end(),
                           rank) != verdict.culprits.end();
        });
    if (!only_culprits) continue;
    verdict.summary.push_back(WasHandling{ranks, handled});
  }
}

}  // namespace

CallOn callOn(const OperationRef& operation) {
  return {nameOf(operation.op), operation.group, operation.seq, operation.pair,
          operation.place};
}

void findCallSites(const JobState& job, const TraceSet& set,
                   std::vector<JobVerdict>& verdicts) {
  absl::btree_map<std::uint32_t, std::vector<JobVerdict*>> by_rank;
  for (JobVerdict& verdict : verdicts) {
    const bool has_operation = verdict.seq > 0 || verdict.since_seq > 0;
    if (!has_operation || verdict.group == GroupCatalog::kNone) continue;
    for (const std::uint32_t rank : ranksToAsk(job, verdict)) {
      const RankState* state = job.rank(rank);
      if (!state || !state->has_sites) continue;
      if (by_rank.size() < kMaxRanks || by_rank.contains(rank)) {
        by_rank[rank].push_back(&verdict);
      }
    }
  }
  if (by_rank.empty()) return;
  GroupCatalog catalog = job.catalog;
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    const auto asked = by_rank.find(set.streams[i].header.rank());
    if (asked == by_rank.end()) continue;
    const StreamTable table = loader.load(set.streams[i]);
    findIn(table,
           catalog.add(table.header.attempt(), table.definitions.groups()),
           asked->second);
  }
  for (JobVerdict& verdict : verdicts) {
    reportSites(verdict);
    reportHandled(job, verdict);
  }
}

}  // namespace traced
