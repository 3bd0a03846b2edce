// Scope is which operations of a run are looked at, by the nodes of those who
// take part in them: what goes between nodes is slow, and often all that
// matters.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/rank_list.h"
#include "analysis/stream/stream_table.h"

namespace traced {

enum class ReportedScope { kAll, kCrossNode, kNone };

// "all", "crossnode", "none".
std::string nameOf(ReportedScope scope);
std::optional<ReportedScope> reportedScopeNamed(const std::string& name);

// On which node each rank ran, by the headers of the streams of a run: the name
// that its user gave (TRACED_NODE), else the boot id, else the host.
class NodeIndex {
 public:
  explicit NodeIndex(const TraceSet& set);

  // Which one a rank is on, and what people call it; "": nothing.
  struct Node {
    std::uint32_t number = 0;
    std::string name;
  };
  // nullptr where that is not known.
  const Node* of(std::uint32_t rank) const;
  // Whether all of them are known to be on one node.
  bool onOneNode(const RankList& ranks) const;
  bool onOneNode(std::uint32_t one, std::uint32_t other) const;

 private:
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> node_by_rank_;
};

// Chooses operations of one stream, which it must not outlive.
class ScopeFilter {
 public:
  ScopeFilter(ReportedScope scope, const NodeIndex& nodes,
              const StreamTable& table);

  // A send or receive is between nodes if its two ends are, any other operation
  // if its group is not within a node. What is not known is held.
  bool holds(const AssembledOperation& op) const;

 private:
  const ReportedScope scope_;
  const NodeIndex& nodes_;
  const StreamTable& table_;
  // Per group of the stream.
  std::vector<bool> within_node_;
};

}  // namespace traced
