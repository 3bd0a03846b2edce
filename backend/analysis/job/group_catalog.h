// The identity, labels and roles of groups across ranks. See
// docs/reference/format.md, "Group identity" and "Labels".

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/definitions.h"
#include "analysis/stream/rank_list.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// One group, as all its members see it.
struct JobGroup {
  std::uint32_t attempt = 0;
  std::string leg;
  RankList members;
  std::uint32_t nth = 0;
  // Taken from the first rank that was added.
  std::string name;
  std::string desc;
  std::string backend;
  // The class of the backend that executes its operations. Empty for torch's
  // own class for that name.
  std::string backend_class;
  // The label shown to users. If groups have equal labels, "#2", "#3", ... make
  // it unique.
  std::string label;
  // Some rank did not record all of its operations (TRACED_SCOPE).
  bool left_out = false;
  // Some rank did not record its messages within a node.
  bool leaves_out_messages = false;

  const EngineTraits& engine() const {
    return engineTraits(backend, backend_class);
  }
};

// Returns the group's description, or its name if it has none. Not unique.
std::string givenLabel(const GroupDefinition& group);
std::string givenLabel(const JobGroup& group);

// GroupCatalog identifies groups across ranks.
class GroupCatalog {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Adds the groups of a stream. Returns their indices in the order of
  // StreamDefinitions::groups(). Equal inputs in equal order give equal indices
  // and labels.
  std::vector<std::uint32_t> add(std::uint32_t attempt,
                                 const std::vector<GroupDefinition>& groups);

  // Returns kNone if the group was not added.
  std::uint32_t find(std::uint32_t attempt, const GroupDefinition& group) const;
  // Does the same for each group.
  std::vector<std::uint32_t> find(
      std::uint32_t attempt, const std::vector<GroupDefinition>& groups) const;

  const std::vector<JobGroup>& groups() const { return groups_; }
  // Returns "-" for kNone.
  const std::string& label(std::uint32_t index) const;

 private:
  struct Key {
    std::uint32_t attempt;
    std::string leg;
    RankList members;
    std::uint32_t nth;
    // Empty if the name is not part of the identity.
    std::string name;

    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Key& key) {
      return H::combine(std::move(hash), key.attempt, key.leg, key.members,
                        key.nth, key.name);
    }
  };

  static Key keyOf(std::uint32_t attempt, const GroupDefinition& group);
  std::uint32_t addGroup(std::uint32_t attempt, const GroupDefinition& group);
  std::string uniqueLabel(const GroupDefinition& group);

  std::vector<JobGroup> groups_;
  absl::flat_hash_map<Key, std::uint32_t> index_by_key_;
  absl::flat_hash_map<std::string, std::uint32_t> label_uses_;
};

// Returns the identity of one group as a number.
std::uint64_t groupHash(std::uint32_t attempt, const GroupDefinition& group);

// HashedMembers decides which groups of a stream get such a number: those with
// a comparable identity, while their members do not exceed a limit.
class HashedMembers {
 public:
  // Returns whether the group gets a number. Must be called for each group, in
  // order.
  bool canHash(const GroupDefinition& group);

 private:
  std::uint64_t members_ = 0;
};

// Returns the identities of a stream's groups as numbers. 0 for a group without
// one: a dump does not record everything that identifies a group.
std::vector<std::uint64_t> groupHashes(const StreamTable& table);

// Returns for example "dp (64 groups of 8)".
std::string groupsText(const std::string& label, std::size_t groups,
                       std::size_t members);

// GroupRoles combines groups with the same role, that is, equal labels and
// sizes. For example, each row of a device mesh is a group.
class GroupRoles {
 public:
  // From this number on, groups of one role are shown as one.
  static constexpr std::size_t kMany = 4;

  // Copies the labels: add all groups to the catalog first.
  explicit GroupRoles(const GroupCatalog& catalog);

  // Returns "dp (64 groups of 8)" for a group of many, otherwise its own label.
  const std::string& label(std::uint32_t group) const {
    return group < labels_.size() ? labels_[group] : unknown_;
  }
  // Returns whether the group's role has at least kMany groups. `group` must be
  // an index of the catalog.
  bool isOfMany(std::uint32_t group) const { return is_of_many_[group]; }
  // The roles with many groups, each with its label and groups, in order.
  struct Role {
    std::string label;
    std::vector<std::uint32_t> groups;
  };
  const std::vector<Role>& many() const { return many_; }

 private:
  // Indexed like the catalog.
  std::vector<std::string> labels_;
  std::vector<bool> is_of_many_;
  std::vector<Role> many_;
  const std::string unknown_ = "-";
};

}  // namespace traced
