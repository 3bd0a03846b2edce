#include "analysis/diagnosis/slow_peers/compared_links.h"

#include <algorithm>

namespace traced {
namespace {

void sortByTime(std::vector<Transfer>& transfers) {
  const auto isEarlier = [](const Transfer& a, const Transfer& b) {
    return a.at_ns < b.at_ns;
  };
  // Fast path: mostly sorted already.
  if (std::is_sorted(transfers.begin(), transfers.end(), isEarlier)) return;
  std::stable_sort(transfers.begin(), transfers.end(), isEarlier);
}

}  // namespace

std::optional<Transfer> transferBetween(std::int64_t earliest_ns,
                                        std::int64_t latest_ns,
                                        std::int64_t end_ns) {
  // Prevents overflow. Only a damaged trace exceeds it.
  constexpr std::int64_t kMaxDurationNs = std::int64_t{1} << 60;
  if (end_ns < earliest_ns) return std::nullopt;
  return Transfer{
      end_ns, std::clamp<std::int64_t>(end_ns - latest_ns, 0, kMaxDurationNs),
      std::min(end_ns - earliest_ns, kMaxDurationNs)};
}

std::vector<ComparedLinks> comparedLinks(const JobState& job) {
  std::vector<ComparedLinks> all;
  addMessageLinks(job, all);
  addCollectiveLinks(job, all);
  for (ComparedLinks& compared : all) {
    std::erase_if(compared.links, [](const TransferLink& link) {
      return link.transfers.size() < ComparedLinks::kMinTransfers;
    });
    for (TransferLink& link : compared.links) sortByTime(link.transfers);
  }
  std::erase_if(all, [](const ComparedLinks& compared) {
    return compared.links.size() < ComparedLinks::kMinLinks;
  });
  return all;
}

}  // namespace traced
