#include "analysis/compare/group_identity.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/job/group_catalog.h"

namespace traced {
namespace {

constexpr std::size_t kAllRanks = std::numeric_limits<std::size_t>::max();

// Returns "" if the user gave no name: torch then uses "undefined". The default
// group keeps the name that torch gives it.
std::string givenName(const JobGroup& group) {
  return group.desc == "undefined" ? "" : group.desc;
}

std::string withoutName(const JobGroup& group) {
  const std::string ranks = absl::StrCat("ranks ", group.members.text());
  return group.nth == 0 ? ranks : absl::StrCat(ranks, " #", group.nth + 1);
}

}  // namespace

std::vector<std::string> groupIdentities(const GroupCatalog& catalog) {
  using Role = std::tuple<std::string, std::string, std::uint32_t>;
  std::map<Role, std::size_t> groups;
  const auto roleOf = [](const JobGroup& group) {
    return Role{givenName(group), group.leg, group.members.size()};
  };
  for (const JobGroup& group : catalog.groups()) ++groups[roleOf(group)];
  std::vector<std::string> identities;
  for (const JobGroup& group : catalog.groups()) {
    const std::string name = givenName(group);
    const std::size_t alike = groups[roleOf(group)];
    identities.push_back(name.empty() ? withoutName(group)
                         : alike == 1
                             ? name
                             : groupsText(name, alike, group.members.size()));
  }
  return identities;
}

std::map<std::string, std::string> groupLayouts(const GroupCatalog& catalog) {
  const std::vector<std::string> identities = groupIdentities(catalog);
  std::map<std::string, std::vector<std::string>> members;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    members[identities[i]].push_back(
        catalog.groups()[i].members.text(kAllRanks));
  }
  std::map<std::string, std::string> layouts;
  for (auto& [identity, texts] : members) {
    std::sort(texts.begin(), texts.end());
    layouts[identity] = absl::StrJoin(texts, "; ");
  }
  return layouts;
}

}  // namespace traced
