#include "analysis/diagnosis/slow_peers/slow_links.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

// A link is slow if 75 % of its transfers exceed a threshold, as do 50 % in
// each quarter of the stretch. The threshold is kTimesHalf times the median of
// the median link. It is also at least kTimesMost times that link's 75th
// percentile, and kMinSlowerNs above it. The excess must add up to
// kMaterialPart of the time.
constexpr std::int64_t kTimesHalf = 3;
constexpr std::int64_t kTimesMost = 2;
constexpr std::int64_t kMinSlowerNs = 1'000'000;
constexpr double kMaterialPart = 0.1;
constexpr std::size_t kBeginnings = 8;

using Transfers = absl::Span<const Transfer>;

// Returns a percentile, rounded down to a value. `values` must not be empty.
std::int64_t percentile(std::vector<std::int64_t> values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(
                                       (values.size() - 1) * percent / 100);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::int64_t percentile(Transfers transfers, std::size_t percent,
                        std::int64_t Transfer::*bound) {
  std::vector<std::int64_t> values;
  values.reserve(transfers.size());
  for (const Transfer& transfer : transfers) values.push_back(transfer.*bound);
  return percentile(std::move(values), percent);
}

// Returns whether enough transfers are long for the link to be slow, regardless
// of the other links. Excludes most links quickly.
bool mayBeSlow(const TransferLink& link) {
  constexpr std::size_t kMinSlow = ComparedLinks::kMinTransfers * 3 / 4;
  const auto slow = std::count_if(
      link.transfers.begin(), link.transfers.end(),
      [](const Transfer& transfer) { return transfer.low_ns >= kMinSlowerNs; });
  return static_cast<std::size_t>(slow) >= kMinSlow;
}

Transfers since(const TransferLink& link, std::int64_t begin_ns) {
  const auto first =
      std::lower_bound(link.transfers.begin(), link.transfers.end(), begin_ns,
                       [](const Transfer& transfer, std::int64_t ns) {
                         return transfer.at_ns < ns;
                       });
  return absl::MakeSpan(link.transfers)
      .subspan(static_cast<std::size_t>(first - link.transfers.begin()));
}

// Upper bounds of the median and of the 75th percentile.
struct Usual {
  std::int64_t half_ns = 0;
  std::int64_t most_ns = 0;

  std::int64_t slowFromNs() const {
    return std::max(
        {kTimesHalf * half_ns, kTimesMost * most_ns, most_ns + kMinSlowerNs});
  }
};

// Returns the values of the median link, the quicker of two. Absent if too few
// links have enough transfers.
std::optional<Usual> usualOf(const ComparedLinks& compared,
                             std::int64_t begin_ns) {
  std::vector<std::int64_t> half;
  std::vector<std::int64_t> most;
  for (const TransferLink& link : compared.links) {
    const Transfers transfers = since(link, begin_ns);
    if (transfers.size() < ComparedLinks::kMinTransfers) continue;
    half.push_back(percentile(transfers, 50, &Transfer::high_ns));
    most.push_back(percentile(transfers, 75, &Transfer::high_ns));
  }
  if (half.size() < ComparedLinks::kMinLinks) return std::nullopt;
  return Usual{percentile(std::move(half), 50),
               percentile(std::move(most), 50)};
}

bool isPersistent(Transfers transfers, const Usual& usual) {
  const std::int64_t slow_ns = usual.slowFromNs();
  const auto isSlow = [&](Transfers part, std::size_t percent) {
    return percentile(part, percent, &Transfer::low_ns) >= slow_ns;
  };
  if (!isSlow(transfers, 25)) return false;
  const std::size_t count = transfers.size();
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const std::size_t begin = count * quarter / 4;
    const std::size_t end = count * (quarter + 1) / 4;
    if (!isSlow(transfers.subspan(begin, end - begin), 50)) return false;
  }
  return true;
}

double ofTheTime(Transfers transfers, std::int64_t usual_ns,
                 std::uint64_t stride) {
  double excess_ns = 0;
  for (const Transfer& transfer : transfers) {
    excess_ns += static_cast<double>(
        std::max<std::int64_t>(transfer.low_ns - usual_ns, 0));
  }
  const std::int64_t span_ns = transfers.back().at_ns - transfers.front().at_ns;
  return excess_ns * static_cast<double>(stride) /
         static_cast<double>(std::max<std::int64_t>(span_ns, 1));
}

// Returns those of the links `suspects` that are slow from `begin_ns` on.
std::vector<SlowLink> slowSince(const ComparedLinks& compared,
                                const std::vector<std::size_t>& suspects,
                                std::int64_t begin_ns, std::uint64_t stride) {
  std::vector<SlowLink> slow;
  const auto usual = usualOf(compared, begin_ns);
  if (!usual) return slow;
  for (const std::size_t i : suspects) {
    const Transfers transfers = since(compared.links[i], begin_ns);
    if (transfers.size() < ComparedLinks::kMinTransfers ||
        !isPersistent(transfers, *usual)) {
      continue;
    }
    const double share = ofTheTime(transfers, usual->most_ns, stride);
    if (share < kMaterialPart) continue;
    slow.push_back({i, transfers.front().at_ns, transfers.size(),
                    percentile(transfers, 50, &Transfer::low_ns),
                    usual->most_ns, share});
  }
  return slow;
}

}  // namespace

std::vector<SlowLink> findSlowLinks(const ComparedLinks& compared,
                                    std::uint64_t stride) {
  std::vector<std::size_t> suspects;
  for (std::size_t i = 0; i < compared.links.size(); ++i) {
    if (mayBeSlow(compared.links[i])) suspects.push_back(i);
  }
  if (suspects.empty()) return {};
  std::int64_t first_ns = compared.links[suspects[0]].transfers[0].at_ns;
  std::int64_t last_ns = first_ns;
  for (const TransferLink& link : compared.links) {
    if (link.transfers.empty()) continue;
    first_ns = std::min(first_ns, link.transfers.front().at_ns);
    last_ns = std::max(last_ns, link.transfers.back().at_ns);
  }
  const std::int64_t part_ns =
      (last_ns - first_ns) / static_cast<std::int64_t>(kBeginnings);
  for (std::size_t part = 0; part < kBeginnings; ++part) {
    const std::int64_t begin_ns =
        first_ns + part_ns * static_cast<std::int64_t>(part);
    auto slow = slowSince(compared, suspects, begin_ns, stride);
    if (!slow.empty()) return slow;
  }
  return {};
}

namespace {

using Ranks = std::vector<std::uint32_t>;
using Kind = ComparedLinks::Kind;

Ranks sorted(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

std::vector<LinkedRanks> putTogether(const ComparedLinks& compared,
                                     const std::vector<SlowLink>& slow) {
  LinkedRanks all;
  bool common = false;
  for (const SlowLink& link : slow) {
    const Ranks ranks = sorted(compared.links[link.link].ranks);
    Ranks both;
    std::set_intersection(all.ranks.begin(), all.ranks.end(), ranks.begin(),
                          ranks.end(), std::back_inserter(both));
    common = all.links.empty() || (common && !both.empty());
    if (compared.kind == Kind::kRanks) {
      all.ranks.push_back(ranks.front());
    } else {
      all.ranks = all.links.empty() ? ranks : both;
    }
    all.links.push_back(&link);
  }
  all.ranks = sorted(all.ranks);
  if (common || compared.kind == Kind::kRanks) return {all};
  std::vector<LinkedRanks> groups;
  for (const SlowLink& link : slow) {
    const Ranks ranks = sorted(compared.links[link.link].ranks);
    const auto same = std::find_if(
        groups.begin(), groups.end(),
        [&](const LinkedRanks& each) { return each.ranks == ranks; });
    if (same != groups.end()) {
      same->links.push_back(&link);
    } else {
      groups.push_back({ranks, {&link}});
    }
  }
  return groups;
}

}  // namespace traced
