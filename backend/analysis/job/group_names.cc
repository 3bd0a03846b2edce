#include "analysis/job/group_names.h"

#include <algorithm>
#include <numeric>

namespace traced {
namespace {

// torch's description of the group that init_process_group creates.
constexpr char kWorld[] = "default_pg";

bool isCounted(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

// Returns indices in order of the ids, which ascend in order of creation.
std::vector<std::size_t> inOrder(const std::vector<GroupDefinition>& groups) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return groups[a].id < groups[b].id;
                   });
  return order;
}

}  // namespace

void GroupNames::add(std::uint32_t attempt, std::uint32_t rank,
                     const std::vector<GroupDefinition>& groups,
                     absl::Span<const std::uint32_t> indices) {
  const GroupDefinition* world = nullptr;
  for (const std::size_t i : inOrder(groups)) {
    const GroupDefinition& group = groups[i];
    if (group.desc == kWorld) {
      world = &group;
      continue;
    }
    // A dump does not record to which world a group belongs.
    if (group.by_name || group.members.size() == 0) continue;
    if (!isCounted(group.name)) continue;
    const std::uint32_t index = indices[i];
    addName(index, rank, group.name);
    if (!world) continue;
    std::vector<std::uint32_t>& named = groups_by_name_[{
        attempt, group.leg, world->members, world->nth, group.name}];
    const auto place = std::lower_bound(named.begin(), named.end(), index);
    if (place == named.end() || *place != index) named.insert(place, index);
  }
}

void GroupNames::addName(std::uint32_t group, std::uint32_t rank,
                         const std::string& name) {
  Names& names = names_[group];
  if (names.first.empty()) names.first = name;
  if (names.first == name) {
    names.first_ranks.push_back(rank);
  } else {
    names.others[name].push_back(rank);
  }
}

std::vector<std::vector<std::uint32_t>> GroupNames::shared(
    const GroupCatalog& catalog) const {
  std::vector<std::vector<std::uint32_t>> shared;
  for (const auto& [key, groups] : groups_by_name_) {
    const RankList& members = catalog.groups()[groups.front()].members;
    const bool differ =
        std::any_of(groups.begin(), groups.end(), [&](std::uint32_t group) {
          return !(catalog.groups()[group].members == members);
        });
    if (differ) shared.push_back(groups);
  }
  std::sort(shared.begin(), shared.end());
  return shared;
}

GroupNames::RanksByName GroupNames::namesOf(std::uint32_t group) const {
  const auto found = names_.find(group);
  if (found == names_.end() || found->second.others.empty()) return {};
  RanksByName ranks = found->second.others;
  ranks[found->second.first] = found->second.first_ranks;
  return ranks;
}

}  // namespace traced
