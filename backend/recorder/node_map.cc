#include "recorder/node_map.h"

#include <algorithm>

namespace traced {
namespace {

// Orders the members so that both ends are first. Ranks are usually numbered
// node by node, so the ends are most likely on different nodes.
NodeMap::Ranks endsFirst(const NodeMap::Ranks& members, std::uint32_t self) {
  NodeMap::Ranks others;
  others.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != self) others.push_back(members[i]);
  }
  if (others.size() > 2) std::swap(others[1], others.back());
  return others;
}

}  // namespace

void NodeMap::begin(std::uint64_t job) {
  const std::lock_guard lock(mutex_);
  if (job_ != job) known_.clear();
  job_ = job;
}

NodeMap::Spread NodeMap::spreadOf(const Ranks& members, std::uint32_t self,
                                  const Lookup& lookup) {
  const std::lock_guard lock(mutex_);
  if (own_.empty() || self >= members.size()) return Spread::kUnknown;
  const Ranks others = endsFirst(members, self);
  std::size_t batch = 2;
  for (std::size_t at = 0; at < others.size(); batch *= 2) {
    const std::size_t end = std::min(others.size(), at + batch);
    const auto nodes =
        nodesOf({others.begin() + static_cast<std::ptrdiff_t>(at),
                 others.begin() + static_cast<std::ptrdiff_t>(end)},
                lookup);
    if (!nodes) return Spread::kUnknown;
    const bool all_here =
        std::all_of(nodes->begin(), nodes->end(),
                    [this](const std::string& node) { return node == own_; });
    if (!all_here) return Spread::kSeveralNodes;
    at = end;
  }
  return Spread::kOneNode;
}

std::optional<std::vector<bool>> NodeMap::hereOf(const Ranks& members,
                                                 std::uint32_t self,
                                                 const Lookup& lookup) {
  const std::lock_guard lock(mutex_);
  if (own_.empty() || self >= members.size()) return std::nullopt;
  std::vector<bool> here(members.size());
  if (members.size() <= kMaxAsked) {
    const auto nodes = nodesOf(members, lookup);
    if (!nodes) return std::nullopt;
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = (*nodes)[i] == own_;
    return here;
  }
  here[self] = true;
  for (const std::ptrdiff_t step : {-1, 1}) {
    if (!walk(members, self, step, lookup, here)) return std::nullopt;
  }
  return here;
}

bool NodeMap::walk(const Ranks& members, std::ptrdiff_t from,
                   std::ptrdiff_t step, const Lookup& lookup,
                   std::vector<bool>& here) {
  const auto size = static_cast<std::ptrdiff_t>(members.size());
  for (auto at = from + step; at >= 0 && at < size; at += step) {
    const auto node = nodesOf({members[at]}, lookup);
    if (!node) return false;
    if (node->front() != own_) return true;
    here[at] = true;
  }
  return true;
}

// An empty name counts as not yet published.
std::optional<std::vector<std::string>> NodeMap::nodesOf(const Ranks& ranks,
                                                         const Lookup& lookup) {
  Ranks unknown;
  for (const std::uint32_t rank : ranks) {
    if (!known_.contains(rank)) unknown.push_back(rank);
  }
  if (!unknown.empty()) {
    auto found = lookup(unknown);
    if (!found || found->size() != unknown.size()) return std::nullopt;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if ((*found)[i].empty()) return std::nullopt;
      known_[unknown[i]] = std::move((*found)[i]);
    }
  }
  std::vector<std::string> nodes;
  for (const std::uint32_t rank : ranks) nodes.push_back(known_.at(rank));
  return nodes;
}

}  // namespace traced
