#include "analysis/live/live_links.h"

#include <algorithm>
#include <utility>

#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/diagnosis/slow_peers/slow_links.h"
#include "analysis/job/signature.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

using Kind = ComparedLinks::Kind;

constexpr std::size_t kMaxLinks = 4096;

void forget(TransferLink& link, std::int64_t before_ns) {
  const auto earlier = [](const Transfer& a, const Transfer& b) {
    return a.at_ns < b.at_ns;
  };
  std::sort(link.transfers.begin(), link.transfers.end(), earlier);
  link.transfers.erase(
      link.transfers.begin(),
      std::lower_bound(link.transfers.begin(), link.transfers.end(),
                       Transfer{before_ns, 0, 0}, earlier));
}

void forgetAll(LiveLinks::Class& of) {
  for (TransferLink& link : of.compared.links) link.transfers.clear();
}

}  // namespace

std::vector<LiveLinks::LinkIndex> LiveLinks::linksOf(const StreamTable& table,
                                                     const v1::Call& call,
                                                     const MatchedCall& matched,
                                                     const RankList& members) {
  std::vector<LinkIndex> indices;
  const std::uint32_t rank = table.header.rank();
  const OperationKey& key = matched.key;
  if (key.isMessage()) {
    if (key.destination != rank) return indices;
    const std::uint64_t bytes = std::max(call.bytes_in(), call.bytes_out());
    addLink({Kind::kPairs, sizeText(bytes), 0}, "", {key.source, rank},
            key.group, indices);
    return indices;
  }
  const Signature signature = signatureOf(call, table.capabilities);
  if (matched.role.independent || waitsOf(signature) == EndWaits::kOther) {
    return indices;
  }
  const std::string op = nameOf(signature.op);
  addLink({Kind::kRanks, textOf(signature, members), key.group}, op, {rank},
          key.group, indices);
  // The first member reports for its group.
  if (members.at(0) == rank) {
    std::vector<std::uint32_t> all;
    members.forEach([&](std::uint32_t member) { all.push_back(member); });
    addLink({Kind::kGroups, textOf(signature), members.size()}, op,
            std::move(all), key.group, indices);
  }
  return indices;
}

void LiveLinks::addLink(const Key& key, const std::string& op,
                        std::vector<std::uint32_t> ranks, std::uint32_t group,
                        std::vector<LinkIndex>& indices) {
  if (classes_.size() >= kMaxClasses && !classes_.contains(key)) return;
  Class& of = classes_[key];
  of.compared.kind = std::get<Kind>(key);
  of.compared.what = std::get<std::string>(key);
  of.compared.op = op;
  if (of.index.size() >= kMaxLinks) return;
  const auto [found, is_new] =
      of.index.try_emplace(std::move(ranks), of.compared.links.size());
  if (is_new) of.compared.links.push_back({found->first, group, {}});
  indices.push_back({&of, found->second});
}

void LiveLinks::add(const std::vector<LinkIndex>& indices, std::uint64_t seq,
                    const Transfer& transfer) {
  // The first operation of a group includes process start-up.
  if (seq <= 1) return;
  for (const LinkIndex& index : indices) {
    Class& of = *index.of;
    if (seq % of.stride != 0) continue;
    std::vector<Transfer>& transfers = of.compared.links[index.link].transfers;
    if (transfers.size() >= kMaxTransfers) {
      of.stride *= 2;
      forgetAll(of);
      continue;
    }
    transfers.push_back(transfer);
  }
}

void LiveLinks::update(std::int64_t now_ns, bool starved) {
  if (starved) {
    for (auto& [key, of] : classes_) forgetAll(of);
    slow_.clear();
    return;
  }
  if (now_ns - updated_ns_ < kEveryNs) return;
  updated_ns_ = now_ns;
  slow_.clear();
  for (auto& [key, of] : classes_) addSlow(of, now_ns);
  keepNarrowest();
}

void LiveLinks::addSlow(Class& of, std::int64_t now_ns) {
  for (TransferLink& link : of.compared.links) {
    forget(link, now_ns - kWindowNs);
  }
  std::vector<SlowLink> slow = findSlowLinks(of.compared, of.stride);
  std::erase_if(slow, [&](const SlowLink& link) {
    return link.since_ns > now_ns - kLastingNs;
  });
  if (slow.empty()) return;
  for (const LinkedRanks& linked : putTogether(of.compared, slow)) {
    const SlowLink& worst =
        **std::max_element(linked.links.begin(), linked.links.end(),
                           [](const SlowLink* a, const SlowLink* b) {
                             return a->of_the_time < b->of_the_time;
                           });
    const TransferLink& link = of.compared.links[worst.link];
    slow_.push_back(
        {linked.ranks, link.group,
         SlowTransfers{of.compared.what, of.compared.kind, link.ranks,
                       worst.median_ns, worst.count, worst.others_ns},
         worst.of_the_time});
  }
}

void LiveLinks::keepNarrowest() {
  std::stable_sort(slow_.begin(), slow_.end(),
                   [](const Slow& a, const Slow& b) {
                     return a.ranks.size() < b.ranks.size();
                   });
  std::vector<Slow> kept;
  for (Slow& one : slow_) {
    const bool explained =
        std::any_of(kept.begin(), kept.end(), [&](const Slow& other) {
          return std::includes(one.ranks.begin(), one.ranks.end(),
                               other.ranks.begin(), other.ranks.end());
        });
    if (!explained) kept.push_back(std::move(one));
  }
  slow_ = std::move(kept);
}

}  // namespace traced
