// What the rows and columns of a LinkPicture are: ranks, or fewer things where
// there are too many of them: nodes where these are known, else some ranks, or
// nodes, in a row.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/pictures/pictures.h"

namespace traced {

// Where a rank runs, and what people call that.
struct RankNode {
  std::uint32_t node = 0;
  std::string name;
};

class LinkUnits {
 public:
  // At most so many are kept apart.
  static constexpr std::uint32_t kMost = 1024;

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

}  // namespace traced
