#include "analysis/job/group_catalog.h"

#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "base/group_label.h"
#include "trace_io/correlation.h"

namespace traced {
namespace {

template <typename Group>
std::string labelGivenTo(const Group& group) {
  const std::string& label = groupLabel(group.name, group.desc);
  return label.empty() ? "unnamed" : label;
}

}  // namespace

std::string givenLabel(const GroupDefinition& group) {
  return labelGivenTo(group);
}

std::string givenLabel(const JobGroup& group) { return labelGivenTo(group); }

std::vector<std::uint32_t> GroupCatalog::add(
    std::uint32_t attempt, const std::vector<GroupDefinition>& groups) {
  std::vector<std::uint32_t> indices;
  indices.reserve(groups.size());
  for (const GroupDefinition& group : groups) {
    indices.push_back(addGroup(attempt, group));
  }
  return indices;
}

const std::string& GroupCatalog::label(std::uint32_t index) const {
  static const std::string* const kNoLabel = new std::string("-");
  return index == kNone ? *kNoLabel : groups_[index].label;
}

std::uint32_t GroupCatalog::find(std::uint32_t attempt,
                                 const GroupDefinition& group) const {
  const auto found = index_by_key_.find(keyOf(attempt, group));
  return found == index_by_key_.end() ? kNone : found->second;
}

std::vector<std::uint32_t> GroupCatalog::find(
    std::uint32_t attempt, const std::vector<GroupDefinition>& groups) const {
  std::vector<std::uint32_t> indices;
  for (const GroupDefinition& group : groups) {
    indices.push_back(find(attempt, group));
  }
  return indices;
}

GroupCatalog::Key GroupCatalog::keyOf(std::uint32_t attempt,
                                      const GroupDefinition& group) {
  return {attempt, group.leg, group.members, group.nth,
          group.by_name ? group.name : std::string()};
}

std::uint32_t GroupCatalog::addGroup(std::uint32_t attempt,
                                     const GroupDefinition& group) {
  const auto next = static_cast<std::uint32_t>(groups_.size());
  const auto [place, is_new] =
      index_by_key_.try_emplace(keyOf(attempt, group), next);
  if (is_new) {
    groups_.push_back({attempt, group.leg, group.members, group.nth, group.name,
                       group.desc, group.backend, group.backend_class,
                       uniqueLabel(group)});
  }
  groups_[place->second].left_out |= group.left_out;
  groups_[place->second].leaves_out_messages |= group.leaves_out_messages;
  return place->second;
}

std::string GroupCatalog::uniqueLabel(const GroupDefinition& group) {
  std::string label = givenLabel(group);
  // A user may name a group "dp#2", so the number may have to increase.
  for (;;) {
    const std::uint32_t use = ++label_uses_[label];
    if (use == 1) return label;
    std::string numbered = absl::StrCat(label, "#", use);
    if (label_uses_.try_emplace(numbered, 1).second) return numbered;
  }
}

namespace {

// Bounds the work on hostile input: a dozen bytes can declare a group of 16
// million members.
constexpr std::uint64_t kMaxHashedMembers = 4'000'000;

}  // namespace

std::uint64_t groupHash(std::uint32_t attempt, const GroupDefinition& group) {
  GroupHash hash(attempt, group.leg, group.nth);
  group.members.forEach([&](std::uint32_t rank) { hash.add(rank); });
  return hash.value();
}

bool HashedMembers::canHash(const GroupDefinition& group) {
  members_ += group.members.size();
  const bool known = !group.by_name && group.members.size() > 0;
  return known && members_ <= kMaxHashedMembers;
}

std::vector<std::uint64_t> groupHashes(const StreamTable& table) {
  std::vector<std::uint64_t> hashes;
  HashedMembers hashed;
  for (const GroupDefinition& group : table.definitions.groups()) {
    hashes.push_back(
        hashed.canHash(group) ? groupHash(table.header.attempt(), group) : 0);
  }
  return hashes;
}

std::string groupsText(const std::string& label, std::size_t groups,
                       std::size_t members) {
  return absl::StrCat(label, " (", groups, " groups of ", members, ")");
}

GroupRoles::GroupRoles(const GroupCatalog& catalog) {
  using Key = std::tuple<std::string, std::string, std::uint32_t>;
  absl::btree_map<Key, std::vector<std::uint32_t>> roles;
  for (std::uint32_t i = 0; i < catalog.groups().size(); ++i) {
    const JobGroup& group = catalog.groups()[i];
    labels_.push_back(group.label);
    roles[{givenLabel(group), group.leg, group.members.size()}].push_back(i);
  }
  is_of_many_.resize(labels_.size(), false);
  for (auto& [key, groups] : roles) {
    if (groups.size() < kMany) continue;
    const auto& [label, leg, size] = key;
    Role role{groupsText(label, groups.size(), size), std::move(groups)};
    for (const std::uint32_t group : role.groups) {
      labels_[group] = role.label;
      is_of_many_[group] = true;
    }
    many_.push_back(std::move(role));
  }
}

}  // namespace traced
