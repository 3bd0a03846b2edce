#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Interval in which the last rank that an end depends on was ready.
struct LastReady {
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
  // For a collective with a root: earliest ready times of ranks, ascending,
  // each with the latest ready time of all ranks up to it. Any of these ranks
  // may relay the root's data.
  std::vector<std::pair<std::int64_t, std::int64_t>> relays;

  // Returns the upper bound for a rank whose part ended at `end_ns`.
  std::int64_t highBefore(std::int64_t end_ns) const {
    const auto later = std::upper_bound(
        relays.begin(), relays.end(), end_ns,
        [](std::int64_t ns, const auto& relay) { return ns < relay.first; });
    return later == relays.begin()
               ? high_ns
               : std::max(high_ns, std::prev(later)->second);
  }
};

class CollectiveLinks {
 public:
  explicit CollectiveLinks(const JobState& job) : job_(job) {}

  // Adds a group. Every member must have a trace.
  void add(std::uint32_t group) {
    group_ = group;
    members_ = job_.membersOf(group).present;
    std::set<std::uint32_t> clocks;
    hosts_.clear();
    for (const std::uint32_t rank : members_) {
      clocks.insert(job_.rank(rank)->clock);
      hosts_.insert(job_.rank(rank)->host);
    }
    one_clock_ = clocks.size() == 1;
    links_.clear();
    const Timings timings = bySeq(job_.groups[group].timings);
    for (std::size_t i = 0; i < timings.size();) {
      std::size_t end = i;
      while (end < timings.size() && timings[end].seq == timings[i].seq) ++end;
      addCollective(absl::MakeSpan(timings).subspan(i, end - i));
      i = end;
    }
    for (auto& [signature, links] : links_) {
      std::erase_if(links.of_members, [](const TransferLink& link) {
        return link.transfers.empty();
      });
      ranks_[{group, signature}] = std::move(links.of_members);
    }
  }

  void finish(std::vector<ComparedLinks>& all) && {
    for (auto& [compared, links] : ranks_) {
      const auto& [group, signature] = compared;
      add(ComparedLinks::Kind::kRanks,
          textOf(job_.signatures.at(signature),
                 job_.catalog.groups()[group].members),
          signature, std::move(links), all);
    }
    for (auto& [compared, by_members] : groups_) {
      std::vector<TransferLink> links;
      for (auto& [members, link] : by_members) {
        links.push_back(std::move(link));
      }
      add(ComparedLinks::Kind::kGroups,
          textOf(job_.signatures.at(compared.signature)), compared.signature,
          std::move(links), all);
    }
  }

 private:
  using ByMembers = std::map<std::vector<std::uint32_t>, TransferLink>;

  // Links of the current group with one signature.
  struct OwnLinks {
    // One per member. Links without transfers are dropped.
    std::vector<TransferLink> of_members;
    // The link of the whole group. nullptr until all members have a transfer of
    // one collective.
    TransferLink* of_group = nullptr;
  };

  // Groups that are comparable: same size, same number of hosts, same
  // collective.
  struct GroupClass {
    std::uint32_t signature;
    std::size_t size;
    std::size_t hosts;

    auto operator<=>(const GroupClass&) const = default;
  };

  // Adds one collective. `timings` are of one number, sorted by rank.
  void addCollective(absl::Span<const Timing> timings) {
    const CollectiveTable& table = job_.groups[group_].collectives;
    const std::uint64_t seq = timings.front().seq;
    // The first collective of a group waits for processes to start.
    if (!areOfAllMembers(timings) || seq <= 1 || !isSampled(seq, job_.stride) ||
        table.disputes().contains(seq)) {
      return;
    }
    const std::uint32_t id = table.signatureOf(seq);
    const Signature& signature = job_.signatures.at(id);
    const EndWaits waits = waitsOf(signature);
    std::optional<std::uint32_t> root;
    if (waits == EndWaits::kForRoot) {
      root =
          job_.catalog.groups()[group_].members.at(signature.root_plus_1 - 1);
    }
    if (waits == EndWaits::kOther || (waits == EndWaits::kForRoot && !root))
      return;
    const auto last = lastReady(timings, root);
    if (!last) return;
    OwnLinks& links = linksOf(id);
    std::optional<Transfer> whole;
    std::size_t known = 0;
    for (std::size_t i = 0; i < timings.size(); ++i) {
      if (timings[i].rank == root) continue;
      const auto transfer = transferOf(timings[i], *last);
      if (!transfer) continue;
      ++known;
      links.of_members[i].transfers.push_back(*transfer);
      if (!whole) whole = transfer;
      whole->low_ns = std::min(whole->low_ns, transfer->low_ns);
      whole->high_ns = std::max(whole->high_ns, transfer->high_ns);
    }
    if (known + (root ? 1 : 0) != members_.size()) return;
    if (!links.of_group) {
      const GroupClass compared{id, members_.size(), hosts_.size()};
      links.of_group = &groups_[compared][members_];
      if (links.of_group->ranks.empty()) {
        links.of_group->ranks = members_;
        links.of_group->group = group_;
      }
    }
    links.of_group->transfers.push_back(*whole);
  }

  bool areOfAllMembers(absl::Span<const Timing> timings) const {
    return std::equal(timings.begin(), timings.end(), members_.begin(),
                      members_.end(),
                      [](const Timing& timing, std::uint32_t rank) {
                        return timing.rank == rank;
                      });
  }

  OwnLinks& linksOf(std::uint32_t signature) {
    OwnLinks& links = links_[signature];
    if (links.of_members.empty()) {
      for (const std::uint32_t rank : members_) {
        TransferLink& link = links.of_members.emplace_back();
        link.ranks = {rank};
        link.group = group_;
      }
    }
    return links;
  }

  std::optional<LastReady> lastReady(absl::Span<const Timing> timings,
                                     std::optional<std::uint32_t> root) const {
    std::optional<LastReady> last;
    std::vector<std::pair<std::int64_t, std::int64_t>> relays;
    for (const Timing& timing : timings) {
      const std::int64_t off_ns = one_clock_ ? 0 : timing.uncertain_ns;
      if (off_ns >= Timing::kUncertain) return std::nullopt;
      const std::int64_t low_ns = timing.ready_ns - timing.early_ns - off_ns;
      const std::int64_t high_ns = timing.ready_ns + off_ns;
      if (root) relays.emplace_back(low_ns, high_ns);
      if (root && timing.rank != *root) continue;
      if (!last) last = LastReady{low_ns, high_ns, {}};
      last->low_ns = std::max(last->low_ns, low_ns);
      last->high_ns = std::max(last->high_ns, high_ns);
    }
    if (!last) return std::nullopt;
    std::sort(relays.begin(), relays.end());
    std::int64_t latest_ns = last->high_ns;
    for (auto& [low_ns, high_ns] : relays) {
      high_ns = latest_ns = std::max(latest_ns, high_ns);
    }
    last->relays = std::move(relays);
    return last;
  }

  std::optional<Transfer> transferOf(const Timing& timing,
                                     const LastReady& last) const {
    const std::int64_t off_ns = one_clock_ ? 0 : timing.uncertain_ns;
    if (timing.took_ns < 0 || off_ns >= Timing::kUncertain) return std::nullopt;
    const std::int64_t end_ns = timing.ready_ns + timing.took_ns;
    const std::int64_t earliest_ns =
        std::max(last.low_ns - off_ns, timing.ready_ns);
    const std::int64_t latest_ns =
        std::max(last.highBefore(end_ns + off_ns) + off_ns,
                 timing.ready_ns + timing.unseen_ns);
    return transferBetween(earliest_ns, latest_ns, end_ns);
  }

  void add(ComparedLinks::Kind kind, std::string what, std::uint32_t signature,
           std::vector<TransferLink> of_ranks,
           std::vector<ComparedLinks>& all) const {
    ComparedLinks& links = all.emplace_back();
    links.kind = kind;
    links.what = std::move(what);
    links.op = nameOf(job_.signatures.at(signature).op);
    links.links = std::move(of_ranks);
  }

  const JobState& job_;
  // State of the group that is being added.
  std::uint32_t group_ = 0;
  std::vector<std::uint32_t> members_;
  std::set<std::string> hosts_;
  bool one_clock_ = true;
  std::map<std::uint32_t, OwnLinks> links_;
  // By group and signature.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TransferLink>>
      ranks_;
  std::map<GroupClass, ByMembers> groups_;
};

}  // namespace

EndWaits waitsOf(const Signature& signature) {
  switch (signature.op) {
    case v1::OPERATION_BARRIER:
      return EndWaits::kForAll;
    case v1::OPERATION_ALL_REDUCE:
    case v1::OPERATION_ALL_REDUCE_COALESCED:
    case v1::OPERATION_ALL_GATHER:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
    case v1::OPERATION_REDUCE_SCATTER:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
      return signature.bytes() > 0 ? EndWaits::kForAll : EndWaits::kOther;
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_SCATTER:
      return signature.bytes() > 0 && signature.root_plus_1 > 0
                 ? EndWaits::kForRoot
                 : EndWaits::kOther;
    default:
      return EndWaits::kOther;
  }
}

void addCollectiveLinks(const JobState& job, std::vector<ComparedLinks>& all) {
  CollectiveLinks links(job);
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const JobState::Membership members = job.membersOf(group);
    const bool whole = members.absent.empty() && members.present.size() > 1;
    if (whole) links.add(group);
  }
  std::move(links).finish(all);
}

}  // namespace traced
