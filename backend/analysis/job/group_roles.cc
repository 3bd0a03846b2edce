#include "analysis/job/group_roles.h"

#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"

namespace traced {

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
