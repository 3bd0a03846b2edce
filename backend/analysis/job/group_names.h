// GroupNames detects groups that share one c10d name although their members
// differ, and groups that their members know by different names.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/definitions.h"
#include "analysis/stream/rank_list.h"

namespace traced {

// Considers names that c10d counted ("3"). Hashed names never clash, and in a
// sound job they may differ between the members of a group.
class GroupNames {
 public:
  // Adds the groups of one stream. `indices`: their indices in the catalog.
  void add(std::uint32_t attempt, std::uint32_t rank,
           const std::vector<GroupDefinition>& groups,
           absl::Span<const std::uint32_t> indices);

  // Returns each set of groups with one name and different members, as
  // ascending indices of the catalog. c10d counts from 0 again in each world
  // that it initializes, so equal names in different worlds do not conflict.
  std::vector<std::vector<std::uint32_t>> shared(
      const GroupCatalog& catalog) const;

  // Returns the ranks by the name under which they know a group. Empty if all
  // know it by one name.
  using RanksByName = absl::btree_map<std::string, std::vector<std::uint32_t>>;
  RanksByName namesOf(std::uint32_t group) const;

 private:
  // A name within a world. `world` and `nth` identify the world: its members,
  // and the number of earlier worlds with these members.
  struct Key {
    std::uint32_t attempt = 0;
    std::string leg;
    RankList world;
    std::uint32_t nth = 0;
    std::string name;

    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Key& key) {
      return H::combine(std::move(hash), key.attempt, key.leg, key.world,
                        key.nth, key.name);
    }
  };
  struct Names {
    std::string first;
    std::vector<std::uint32_t> first_ranks;
    RanksByName others;
  };

  void addName(std::uint32_t group, std::uint32_t rank,
               const std::string& name);

  absl::flat_hash_map<Key, std::vector<std::uint32_t>> groups_by_name_;
  absl::flat_hash_map<std::uint32_t, Names> names_;
};

}  // namespace traced
