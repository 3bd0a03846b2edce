#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/diagnosis/slow_peers/compared_links.h"

namespace traced {
namespace {

// Messages of one size, within a host or between hosts.
struct MessageClass {
  std::uint64_t bytes = 0;
  bool between_hosts = false;

  auto operator<=>(const MessageClass&) const = default;
};

// Returns the transfer, which starts when both sides were ready. `one_clock`:
// both ranks share a clock.
std::optional<Transfer> transferFrom(const Timing& sent, const Timing& received,
                                     bool one_clock) {
  const std::int64_t off_ns =
      one_clock ? 0 : sent.uncertain_ns + received.uncertain_ns;
  if (received.took_ns < 0 || off_ns >= Timing::kUncertain) return std::nullopt;
  const std::int64_t end_ns = received.ready_ns + received.took_ns;
  const std::int64_t latest_ns =
      std::max(sent.ready_ns + off_ns, received.ready_ns + received.unseen_ns);
  const std::int64_t earliest_ns =
      std::max(sent.ready_ns - off_ns, received.ready_ns);
  return transferBetween(earliest_ns, latest_ns, end_ns);
}

class MessageLinks {
 public:
  explicit MessageLinks(const JobState& job) : job_(job) {}

  void add(const PairKey& key, const MessagePair& pair) {
    const RankState* source = job_.rank(key.source);
    const RankState* destination = job_.rank(key.destination);
    // Receives from any source have no numbers, so numbers cannot pair
    // messages.
    if (!source || !destination || pair.receives.unnumbered() > 0) return;
    const bool one_clock = source->clock == destination->clock;
    const bool one_host = one_clock && source->host == destination->host;
    auto received = pair.receives.timings().begin();
    const auto end = pair.receives.timings().end();
    for (const Timing& sent : pair.sends.timings()) {
      while (received != end && received->seq < sent.seq) ++received;
      if (received == end) break;
      if (received->seq != sent.seq) continue;
      const std::uint32_t message = pair.sends.messageAt(sent.seq);
      if (message != pair.receives.messageAt(sent.seq)) continue;
      const auto transfer = transferFrom(sent, *received, one_clock);
      if (!transfer) continue;
      const MessageClass compared{job_.signatures.at(message).bytes(),
                                  !one_host};
      Found& found = classes_[compared];
      found.groups.insert(key.group);
      TransferLink& link = found.by_ranks[{key.source, key.destination}];
      if (link.ranks.empty()) {
        link.ranks = {key.source, key.destination};
        link.group = key.group;
      }
      link.transfers.push_back(*transfer);
    }
  }

  void finish(std::vector<ComparedLinks>& all) && {
    for (auto& [compared, found] : classes_) {
      ComparedLinks& links = all.emplace_back();
      links.what = sizeText(compared.bytes);
      links.between_hosts = compared.between_hosts;
      links.absent = absentOf(found.groups);
      for (auto& [ranks, link] : found.by_ranks) {
        links.links.push_back(std::move(link));
      }
    }
  }

 private:
  struct Found {
    std::set<std::uint32_t> groups;
    std::map<std::pair<std::uint32_t, std::uint32_t>, TransferLink> by_ranks;
  };

  // Ascending. At least the first kMaxAbsent if there are more.
  std::vector<std::uint32_t> absentOf(
      const std::set<std::uint32_t>& groups) const {
    std::set<std::uint32_t> all;
    for (const std::uint32_t group : groups) {
      const std::vector<std::uint32_t> absent = job_.membersOf(group).absent;
      all.insert(absent.begin(), absent.end());
      if (all.size() >= JobState::Membership::kMaxAbsent) break;
    }
    return {all.begin(), all.end()};
  }

  const JobState& job_;
  std::map<MessageClass, Found> classes_;
};

}  // namespace

void addMessageLinks(const JobState& job, std::vector<ComparedLinks>& all) {
  std::vector<bool> judged(job.groups.size());
  for (std::uint32_t group = 0; group < judged.size(); ++group) {
    judged[group] = job.mostArePresent(group);
  }
  MessageLinks links(job);
  for (const auto& [key, pair] : job.pairs) {
    if (judged[key.group]) links.add(key, *pair);
  }
  std::move(links).finish(all);
}

}  // namespace traced
