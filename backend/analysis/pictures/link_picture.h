// LinkUnits maps ranks to the rows and columns of a LinkPicture. A unit is a
// rank. In large jobs it is a node, or several consecutive ranks or nodes.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/pictures/pictures.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

// The node of a rank and the node's name.
struct RankNode {
  std::uint32_t node = 0;
  std::string name;
};

class LinkUnits {
 public:
  // Maximum number of units.
  static constexpr std::uint32_t kMax = 1024;

  // `ranks`: ascending. `nodes`: one per rank; empty unless all are known.
  LinkUnits(const std::vector<std::uint32_t>& ranks,
            const std::vector<RankNode>& nodes);

  // Returns the unit of a rank. A rank that the job does not have gets an
  // arbitrary unit within bounds.
  std::uint32_t of(std::uint32_t rank) const;
  // Merges units, so that fewer remain.
  void fold();
  // Returns the unit that contains a unit from before the last fold().
  std::uint32_t folded(std::uint32_t before) const { return folded_(before); }

  std::uint32_t ranksPerUnit() const { return ranks_per_unit_; }
  // Returns nothing if units are not nodes.
  std::vector<LinkPicture::Node> nodes() const;

 private:
  std::uint32_t count() const;
  void foldNodes();

  std::uint32_t highest_ = 0;
  std::uint32_t ranks_per_unit_ = 1;
  bool by_nodes_ = false;
  // Filled only if the job has several nodes with several ranks each.
  std::vector<LinkPicture::Node> nodes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> node_by_rank_;
  std::function<std::uint32_t(std::uint32_t)> folded_;
};

// LinkPictureBuilder makes a LinkPicture: how many bytes went between which
// ranks. Not thread safe.
class LinkPictureBuilder {
 public:
  // Maximum number of pairs. Units are merged if exceeded.
  static constexpr std::size_t kMaxLinks = 16384;

  // `ranks`: ranks with a stream, ascending. `nodes`: see LinkUnits.
  LinkPictureBuilder(const std::vector<std::uint32_t>& ranks,
                     const std::vector<RankNode>& nodes);

  // For each stream, call begin(), add() for each operation, then end().
  void begin(const StreamTable& table);
  void add(const AssembledOperation& op, const v1::Call& call,
           const OperationSplit& split);
  void end();
  // Adds the result of another builder for the same ranks.
  void add(const LinkPictureBuilder& other);

  LinkPicture finish() &&;

 private:
  // Sums over all all-to-alls of one call.
  struct Calls {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;
    std::uint64_t timed_ns = 0;
  };

  // Units of the sender and the receiver.
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  void addLink(const Pair& pair, const Link& link);
  Link& linkOf(std::uint32_t from, std::uint32_t to);
  void addMessage(const AssembledOperation& op, const v1::Call& call,
                  const OperationSplit& split);
  void addCalls(const v1::Call& call, const Calls& calls);
  void fold();

  LinkPicture picture_;
  LinkUnits units_;
  absl::flat_hash_set<std::uint32_t> recorded_;
  const StreamTable* table_ = nullptr;
  absl::flat_hash_map<std::uint32_t, Calls> by_call_;
  absl::flat_hash_map<Pair, Link> links_;
  // Remaining number of members to examine for this stream: its share of the
  // limit for the whole run.
  static constexpr std::uint64_t kMaxMembers = 200'000'000;
  std::uint64_t allowance_ = 0;
};

}  // namespace traced
