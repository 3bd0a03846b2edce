// Tests a group's name and members, whichever rank is read first.

#include "analysis/compare/group_identity.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

GroupDefinition group(const std::string& desc, std::vector<std::uint32_t> ranks,
                      std::uint32_t nth = 0) {
  GroupDefinition group;
  group.name = "0";
  group.desc = desc;
  group.members = RankList::fromRanks(ranks);
  group.nth = nth;
  return group;
}

using Layouts = std::map<std::string, std::string>;

TEST(GroupIdentityTest, GroupsThatAreCalledAlikeAreOneRole) {
  GroupCatalog catalog;
  catalog.add(0, {group("tp", {2, 3}), group("dp", {0, 2})});
  catalog.add(0, {group("tp", {0, 1})});
  EXPECT_EQ(groupLayouts(catalog),
            (Layouts{{"dp", "0,2"}, {"tp (2 groups of 2)", "0-1; 2-3"}}));
}

TEST(GroupIdentityTest, WithoutANameTheRanksIdentifyAGroup) {
  GroupCatalog catalog;
  catalog.add(0, {group("undefined", {0, 1, 2}), group("", {0, 1, 2}, 1)});
  EXPECT_EQ(groupIdentities(catalog),
            (std::vector<std::string>{"ranks 0-2", "ranks 0-2 #2"}));
}

}  // namespace
}  // namespace traced
