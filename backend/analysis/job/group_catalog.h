// Which groups of different ranks are the same group, what to call them, and
// which play one role. See docs/reference/format.md, "Group identity" and
// "Labels".

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
  // As the first rank that was added has them.
  std::string name;
  std::string desc;
  std::string backend;
  // Of what carries it out; "": torch's own for that name.
  std::string backend_class;
  // What people call it, made unique by "#2", "#3", ... where two groups have
  // the same label.
  std::string label;
  // Some rank did not record all of its operations (TRACED_SCOPE).
  bool left_out = false;

  const EngineTraits& engine() const {
    return engineTraits(backend, backend_class);
  }
};

// What people call a group: its description, or else its name. Two groups may
// be called alike.
std::string givenLabel(const GroupDefinition& group);
std::string givenLabel(const JobGroup& group);

// GroupCatalog tells which groups of different ranks are the same group.
class GroupCatalog {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The index of each of a stream's groups, in the order of
  // StreamDefinitions::groups(). The same inputs in the same order give the
  // same indices and labels.
  std::vector<std::uint32_t> add(std::uint32_t attempt,
                                 const std::vector<GroupDefinition>& groups);

  // kNone if it was not added.
  std::uint32_t find(std::uint32_t attempt, const GroupDefinition& group) const;

  const std::vector<JobGroup>& groups() const { return groups_; }
  // "-" for kNone.
  const std::string& label(std::uint32_t index) const;

 private:
  struct Key {
    std::uint32_t attempt;
    std::string leg;
    RankList members;
    std::uint32_t nth;
    // Empty where the name does not count.
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

// The identity of one group, as one number.
std::uint64_t groupHash(std::uint32_t attempt, const GroupDefinition& group);

// Which groups of a stream have such a number: those that others can tell, as
// long as there are not too many members in all.
class HashedMembers {
 public:
  // To be asked about each group, in their order.
  bool canHash(const GroupDefinition& group);

 private:
  std::uint64_t members_ = 0;
};

// The identity of each group of a stream, as one number. 0: the group has none,
// as a dump does not tell all that identifies it.
std::vector<std::uint64_t> groupHashes(const StreamTable& table);

// "dp (64 groups of 8)".
std::string groupsText(const std::string& label, std::size_t groups,
                       std::size_t members);

// GroupRoles puts groups together that play one role: that are called alike and
// have as many members. Of a mesh each row of ranks is a group of its own.
class GroupRoles {
 public:
  // So many groups of one role are told as one.
  static constexpr std::size_t kMany = 4;

  explicit GroupRoles(const GroupCatalog& catalog);

  // "dp (64 groups of 8)" of a group that is one of many, else its own label.
  const std::string& label(std::uint32_t group) const {
    return group < labels_.size() ? labels_[group] : unknown_;
  }
  bool isOfMany(std::uint32_t group) const { return is_of_many_[group]; }
  // Of each role with many groups, in their order, its label and groups.
  struct Role {
    std::string label;
    std::vector<std::uint32_t> groups;
  };
  const std::vector<Role>& many() const { return many_; }

 private:
  // Per group of the catalog.
  std::vector<std::string> labels_;
  std::vector<bool> is_of_many_;
  std::vector<Role> many_;
  const std::string unknown_ = "-";
};

}  // namespace traced
