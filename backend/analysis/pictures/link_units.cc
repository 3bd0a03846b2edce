#include "analysis/pictures/link_units.h"

#include <algorithm>
#include <utility>

namespace traced {

LinkUnits::LinkUnits(const std::vector<std::uint32_t>& ranks,
                     const std::vector<RankNode>& nodes)
    : highest_(ranks.empty() ? 0 : ranks.back()) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [place, is_new] = numbers.try_emplace(
        nodes[i].node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({nodes[i].name, {}});
    nodes_[place->second].ranks.push_back(ranks[i]);
    node_by_rank_[ranks[i]] = place->second;
  }
  if (nodes_.size() < 2 || nodes_.size() == ranks.size()) nodes_.clear();
  while (count() > kMost) fold();
}

std::uint32_t LinkUnits::count() const {
  return by_nodes_ ? static_cast<std::uint32_t>(nodes_.size())
                   : highest_ / ranks_per_unit_ + 1;
}

std::uint32_t LinkUnits::of(std::uint32_t rank) const {
  if (!by_nodes_) return std::min(rank / ranks_per_unit_, kMost - 1);
  const auto known = node_by_rank_.find(rank);
  return known == node_by_rank_.end()
             ? static_cast<std::uint32_t>(nodes_.size())
             : known->second;
}

void LinkUnits::fold() {
  if (by_nodes_) return foldNodes();
  if (!nodes_.empty() && ranks_per_unit_ == 1) {
    by_nodes_ = true;
    folded_ = [this](std::uint32_t rank) { return of(rank); };
    return;
  }
  ranks_per_unit_ *= 2;
  folded_ = [](std::uint32_t before) { return before / 2; };
}

void LinkUnits::foldNodes() {
  const auto before = static_cast<std::uint32_t>(nodes_.size());
  std::vector<LinkPicture::Node> fewer;
  for (std::uint32_t i = 0; i < before; ++i) {
    if (i % 2 == 0) {
      fewer.push_back(std::move(nodes_[i]));
      continue;
    }
    LinkPicture::Node& sum = fewer.back();
    sum.more += 1 + nodes_[i].more;
    const auto middle = static_cast<std::ptrdiff_t>(sum.ranks.size());
    sum.ranks.insert(sum.ranks.end(), nodes_[i].ranks.begin(),
                     nodes_[i].ranks.end());
    std::inplace_merge(sum.ranks.begin(), sum.ranks.begin() + middle,
                       sum.ranks.end());
  }
  nodes_ = std::move(fewer);
  for (auto& [rank, node] : node_by_rank_) node /= 2;
  // Who is on none of them has the number behind them.
  const auto after = static_cast<std::uint32_t>(nodes_.size());
  folded_ = [before, after](std::uint32_t node) {
    return node == before ? after : node / 2;
  };
}

std::vector<LinkPicture::Node> LinkUnits::nodes() const {
  return by_nodes_ ? nodes_ : std::vector<LinkPicture::Node>();
}

}  // namespace traced
