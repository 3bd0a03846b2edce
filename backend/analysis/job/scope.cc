#include "analysis/job/scope.h"

#include <string>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

constexpr const char* kScopeNames[] = {"all", "crossnode", "none"};

// "" when the header does not say.
std::string nodeIn(const v1::Header& header) {
  if (!header.node().empty()) return "node " + header.node();
  if (!header.boot_id().empty()) return "boot " + header.boot_id();
  return header.host();
}

std::string nameIn(const v1::Header& header) {
  return header.node().empty() ? header.host() : header.node();
}

}  // namespace

std::string nameOf(ReportedScope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}

std::optional<ReportedScope> reportedScopeNamed(const std::string& name) {
  for (const ReportedScope scope :
       {ReportedScope::kAll, ReportedScope::kCrossNode, ReportedScope::kNone}) {
    if (nameOf(scope) == name) return scope;
  }
  return std::nullopt;
}

NodeIndex::NodeIndex(const TraceSet& set) {
  absl::flat_hash_map<std::string, std::uint32_t> numbers;
  for (const std::size_t i : set.selected) {
    const v1::Header& header = set.streams[i].header;
    const std::string node = nodeIn(header);
    if (node.empty()) continue;
    const auto [place, is_new] =
        numbers.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({place->second, nameIn(header)});
    node_by_rank_[header.rank()] = place->second;
  }
}

const NodeIndex::Node* NodeIndex::of(std::uint32_t rank) const {
  const auto found = node_by_rank_.find(rank);
  return found == node_by_rank_.end() ? nullptr : &nodes_[found->second];
}

bool NodeIndex::onOneNode(const RankList& ranks) const {
  if (ranks.size() == 0) return false;
  const Node* first = of(*ranks.at(0));
  bool one = first != nullptr;
  ranks.forEach([&](std::uint32_t rank) {
    if (one) one = of(rank) == first;
  });
  return one;
}

bool NodeIndex::onOneNode(std::uint32_t one, std::uint32_t other) const {
  const Node* node = of(one);
  return node && node == of(other);
}

ScopeFilter::ScopeFilter(ReportedScope scope, const NodeIndex& nodes,
                         const StreamTable& table)
    : scope_(scope), nodes_(nodes), table_(table) {
  if (scope != ReportedScope::kCrossNode) return;
  for (const GroupDefinition& group : table.definitions.groups()) {
    within_node_.push_back(nodes.onOneNode(group.members));
  }
}

bool ScopeFilter::holds(const AssembledOperation& op) const {
  if (scope_ != ReportedScope::kCrossNode) return scope_ == ReportedScope::kAll;
  const v1::Call* call = table_.callOf(op);
  if (!call) return true;
  if (isPointToPoint(call->op())) {
    if (const auto peer = table_.peerOf(op, *call)) {
      return !nodes_.onOneNode(table_.header.rank(), *peer);
    }
  }
  const std::uint32_t group = table_.groupOf(*call);
  return group == StreamDefinitions::kNone || !within_node_[group];
}

}  // namespace traced
