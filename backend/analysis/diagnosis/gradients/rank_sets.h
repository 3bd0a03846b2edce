// RankSets divides the ranks of a job into disjoint sets. It is a union-find.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/stream/rank_list.h"

namespace traced {

class RankSets {
 public:
  // Each of the ranks 0 to `ranks` - 1 is in a set of its own.
  explicit RankSets(std::uint32_t ranks) : parents_(ranks) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }

  // Joins the sets of two ranks. Ignores ranks outside of the job.
  void join(std::uint32_t a, std::uint32_t b) {
    if (a >= parents_.size() || b >= parents_.size()) return;
    const std::uint32_t first = setOf(a);
    const std::uint32_t second = setOf(b);
    // The smallest rank names the set.
    parents_[std::max(first, second)] = std::min(first, second);
  }
  // Joins the sets of all members.
  void join(const RankList& members) {
    const auto first = members.at(0);
    if (!first) return;
    members.forEach([&](std::uint32_t rank) { join(*first, rank); });
  }

  // Returns the smallest rank of a rank's set. `rank` must be in the job.
  std::uint32_t setOf(std::uint32_t rank) const {
    while (parents_[rank] != rank) {
      rank = parents_[rank] = parents_[parents_[rank]];
    }
    return rank;
  }

  // Returns the ranks of each set, ascending.
  std::vector<std::vector<std::uint32_t>> sets() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_set;
    for (std::uint32_t rank = 0; rank < parents_.size(); ++rank) {
      by_set[setOf(rank)].push_back(rank);
    }
    std::vector<std::vector<std::uint32_t>> all;
    for (auto& [set, ranks] : by_set) all.push_back(std::move(ranks));
    return all;
  }

  // Returns whether no two members are in one set.
  bool separates(const RankList& members) const {
    std::vector<bool> seen(parents_.size());
    bool separates = true;
    members.forEach([&](std::uint32_t rank) {
      if (rank >= parents_.size()) return;
      const std::uint32_t set = setOf(rank);
      separates &= !seen[set];
      seen[set] = true;
    });
    return separates;
  }

 private:
  // Paths are shortened while they are followed.
  mutable std::vector<std::uint32_t> parents_;
};

}  // namespace traced
