#include "analysis/diagnosis/call_sites.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/words.h"
#include "analysis/operation_kinds.h"
#include "analysis/stream_loader.h"

namespace traced {
namespace {

constexpr std::size_t kMostRanksOfAVerdict = 4;
constexpr std::size_t kMostRanks = 16;

// Our own traces have none.
bool mayTell(const TraceSet& set) {
  return std::any_of(
      set.selected.begin(), set.selected.end(),
      [&](std::size_t i) { return set.streams[i].dump_file.has_value(); });
}

// Those to look at, and then those that show what the others did.
std::vector<std::uint32_t> ranksToAsk(const JobState& job,
                                      const JobVerdict& verdict) {
  std::vector<std::uint32_t> ranks = verdict.culprits;
  const std::vector<std::uint32_t> members =
      job.membersOf(verdict.group).present;
  for (const auto* more : {&verdict.ranks, &members}) {
    for (const std::uint32_t rank : *more) {
      if (ranks.size() >= kMostRanksOfAVerdict) break;
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
        ranks.push_back(rank);
      }
    }
  }
  ranks.resize(std::min(ranks.size(), kMostRanksOfAVerdict));
  return ranks;
}

// Whether an operation of a rank is the one that a verdict is about.
bool isAbout(const JobVerdict& verdict, std::uint32_t group, std::uint32_t rank,
             const AssembledOperation& op, const v1::Call& call) {
  if (group != verdict.group || op.seq != verdict.seq) return false;
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
      std::string site = table.siteOf(op);
      if (!site.empty()) verdict->sites.emplace_back(rank, std::move(site));
    }
  }
}

// "Ranks 0-2 called it at train.py:120 in forward."
void tellSites(JobVerdict& verdict) {
  absl::btree_map<std::string, std::vector<std::uint32_t>> ranks_at;
  for (const auto& [rank, site] : verdict.sites) ranks_at[site].push_back(rank);
  for (const auto& [site, ranks] : ranks_at) {
    std::string who = ranksText(ranks);
    who.front() = 'R';
    verdict.evidence.push_back(absl::StrCat(who, " called it at ", site, "."));
  }
}

}  // namespace

void findCallSites(const JobState& job, const TraceSet& set,
                   std::vector<JobVerdict>& verdicts) {
  if (!mayTell(set)) return;
  absl::btree_map<std::uint32_t, std::vector<JobVerdict*>> by_rank;
  for (JobVerdict& verdict : verdicts) {
    if (verdict.seq == 0 || verdict.group == GroupCatalog::kNone) continue;
    for (const std::uint32_t rank : ranksToAsk(job, verdict)) {
      if (by_rank.size() < kMostRanks || by_rank.contains(rank)) {
        by_rank[rank].push_back(&verdict);
      }
    }
  }
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
  for (JobVerdict& verdict : verdicts) tellSites(verdict);
}

}  // namespace traced
