// What the rows and columns of a LinkPicture are: ranks, or fewer things where
// there are too many of them: nodes where these are known, else some ranks, or
// nodes, in a row.

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

// Where a rank runs, and what people call that.
struct RankNode {
  std::uint32_t node = 0;
  std::string name;
};

class LinkUnits {
 public:
  // At most so many are kept apart.
  static constexpr std::uint32_t kMax = 1024;

  // `ranks`: ascending. `nodes`: of each of them; empty where that is not known
  // of all.
  LinkUnits(const std::vector<std::uint32_t>& ranks,
            const std::vector<RankNode>& nodes);

  // Who is beyond the last rank is no rank of this job.
  std::uint32_t of(std::uint32_t rank) const;
  // There are fewer of them.
  void fold();
  // The number of what had another one before.
  std::uint32_t folded(std::uint32_t before) const { return folded_(before); }

  std::uint32_t ranksPerUnit() const { return ranks_per_unit_; }
  // Empty where they are no nodes.
  std::vector<LinkPicture::Node> nodes() const;

 private:
  std::uint32_t count() const;
  void foldNodes();

  std::uint32_t highest_ = 0;
  std::uint32_t ranks_per_unit_ = 1;
  bool by_nodes_ = false;
  // Only where there are several, with several ranks.
  std::vector<LinkPicture::Node> nodes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> node_by_rank_;
  std::function<std::uint32_t(std::uint32_t)> folded_;
};

// Makes a LinkPicture: what went from whom to whom.
class LinkPictureBuilder {
 public:
  // Of pairs that are told; with more, nodes or neighbours are told as one.
  static constexpr std::size_t kMaxLinks = 16384;

  // `ranks`: those that have a stream, ascending. `nodes`: as of LinkUnits.
  LinkPictureBuilder(const std::vector<std::uint32_t>& ranks,
                     const std::vector<RankNode>& nodes);

  // A stream, then each of its operations, then its end.
  void begin(const StreamTable& table);
  void add(const AssembledOperation& op, const v1::Call& call,
           const OperationSplit& split);
  void end();
  // What was shown to another one of the same ranks.
  void add(const LinkPictureBuilder& other);

  LinkPicture finish() &&;

 private:
  // All all-to-alls of one call.
  struct Calls {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;
    std::uint64_t timed_ns = 0;
  };

  // Units: from whom, to whom.
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
  // How many members may still be looked at one by one: of a stream, its share
  // of what may be of all.
  static constexpr std::uint64_t kMaxMembers = 200'000'000;
  std::uint64_t allowance_ = 0;
};

}  // namespace traced
