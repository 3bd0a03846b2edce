#include "analysis/job/group_catalog.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

GroupDefinition group(const std::string& name, const std::string& desc,
                      std::vector<std::uint32_t> ranks, std::uint32_t nth = 0,
                      const std::string& leg = "cpu") {
  return {1, name, desc, "gloo", leg, RankList::fromRanks(ranks), 0, nth};
}

TEST(GroupCatalogTest, RanksMeanTheSameGroupWhateverTheyCallIt) {
  GroupCatalog catalog;
  const auto first = catalog.add(0, {group("a", "dp", {0, 1})});
  const auto second = catalog.add(0, {group("b", "other", {0, 1})});
  EXPECT_EQ(first, second);
  ASSERT_EQ(catalog.groups().size(), 1u);
  EXPECT_EQ(catalog.groups()[0].label, "dp");
}

TEST(GroupCatalogTest, AttemptLegOrderAndRepetitionDistinguishGroups) {
  GroupCatalog catalog;
  catalog.add(0,
              {group("", "a", {0, 1}), group("", "b", {1, 0}),
               group("", "c", {0, 1}, 1), group("", "d", {0, 1}, 0, "cuda")});
  catalog.add(1, {group("", "e", {0, 1})});
  EXPECT_EQ(catalog.groups().size(), 5u);
}

TEST(GroupCatalogTest, TheLabelIsTheNameWhenThereIsNoDescription) {
  GroupCatalog catalog;
  catalog.add(0, {group("7", "", {0}), group("8", "undefined", {1}),
                  group("", "", {2})});
  EXPECT_EQ(catalog.groups()[0].label, "7");
  EXPECT_EQ(catalog.groups()[1].label, "8");
  EXPECT_EQ(catalog.groups()[2].label, "unnamed");
}

TEST(GroupCatalogTest, LabelsAreMadeUnique) {
  GroupCatalog catalog;
  catalog.add(0, {group("", "tp", {0, 1}), group("", "tp#2", {4, 5}),
                  group("", "tp", {2, 3}), group("", "tp#2", {6, 7})});
  EXPECT_EQ(catalog.groups()[0].label, "tp");
  EXPECT_EQ(catalog.groups()[1].label, "tp#2");
  EXPECT_EQ(catalog.groups()[2].label, "tp#3");
  EXPECT_EQ(catalog.groups()[3].label, "tp#2#2");
  EXPECT_EQ(catalog.label(GroupCatalog::kNone), "-");
}

}  // namespace
}  // namespace traced
