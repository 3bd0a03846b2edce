// Tests whether groups are within a node, for all combinations of published
// node names.

#include "recorder/node_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace traced {
namespace {

using Spread = NodeMap::Spread;
using Ranks = NodeMap::Ranks;

// A fake store of a job: the published nodes, and the number of reads.
struct FakeStore {
  std::map<std::uint32_t, std::string> published;
  std::vector<Ranks> asked;

  NodeMap::Lookup lookup() {
    return
        [this](const Ranks& ranks) -> std::optional<std::vector<std::string>> {
          asked.push_back(ranks);
          std::vector<std::string> nodes;
          for (const std::uint32_t rank : ranks) {
            if (!published.contains(rank)) return std::nullopt;
            nodes.push_back(published[rank]);
          }
          return nodes;
        };
  }
};

// Ranks 0 to 2 on node a, 3 and 4 on b, 5 on c: nodes differ in size.
FakeStore unevenJob() {
  return {{{0, "a"}, {1, "a"}, {2, "a"}, {3, "b"}, {4, "b"}, {5, "c"}}, {}};
}

Spread spreadOf(const Ranks& members, std::uint32_t self,
                const std::string& own, FakeStore store = unevenJob()) {
  NodeMap map(own);
  return map.spreadOf(members, self, store.lookup());
}

TEST(NodeMapTest, IsWithinANodeOnlyIfAllRanksShareIt) {
  EXPECT_EQ(spreadOf({0, 1, 2}, 0, "a"), Spread::kOneNode);
  EXPECT_EQ(spreadOf({2, 0}, 1, "a"), Spread::kOneNode);
  EXPECT_EQ(spreadOf({3, 4}, 1, "b"), Spread::kOneNode);
  EXPECT_EQ(spreadOf({5}, 0, "c"), Spread::kOneNode);
  EXPECT_EQ(spreadOf({0, 1, 2, 3}, 1, "a"), Spread::kSeveralNodes);
  EXPECT_EQ(spreadOf({0, 3, 1, 2}, 0, "a"), Spread::kSeveralNodes)
      << "also in the middle";
  EXPECT_EQ(spreadOf({3, 0, 1, 2}, 2, "a"), Spread::kSeveralNodes)
      << "also in front";
  EXPECT_EQ(spreadOf({4, 5}, 0, "b"), Spread::kSeveralNodes);
  EXPECT_EQ(spreadOf({0, 1, 2, 3, 4, 5}, 5, "c"), Spread::kSeveralNodes);
}

TEST(NodeMapTest, UnpublishedNodesAreUnknown) {
  FakeStore store = unevenJob();
  store.published.erase(1);
  EXPECT_EQ(spreadOf({0, 1, 2}, 0, "a", store), Spread::kUnknown);
  store.published[1] = "";
  EXPECT_EQ(spreadOf({0, 1, 2}, 0, "a", store), Spread::kUnknown);
  EXPECT_EQ(spreadOf({0, 1, 2}, 0, ""), Spread::kUnknown)
      << "the own node is not known";
  EXPECT_EQ(spreadOf({0, 1, 2}, 7, "a"), Spread::kUnknown);
}

TEST(NodeMapTest, RetriesOnlyUnknownRanks) {
  FakeStore store = unevenJob();
  store.published.erase(2);
  NodeMap map("a");
  EXPECT_EQ(map.spreadOf({0, 1}, 0, store.lookup()), Spread::kOneNode);
  EXPECT_EQ(map.spreadOf({0, 1, 2}, 0, store.lookup()), Spread::kUnknown);
  store.published[2] = "a";
  store.asked.clear();
  EXPECT_EQ(map.spreadOf({0, 1, 2}, 0, store.lookup()), Spread::kOneNode);
  EXPECT_EQ(store.asked, (std::vector<Ranks>{{2}}));
}

TEST(NodeMapTest, KnowsTheRanksOfItsNode) {
  FakeStore store;
  for (std::uint32_t rank = 0; rank < 6; ++rank) {
    store.published[rank] = rank % 2 ? "odd" : "even";
  }
  NodeMap map("even");
  EXPECT_EQ(map.hereOf({5, 4, 3, 2, 0}, 1, store.lookup()),
            (std::vector<bool>{false, true, false, true, true}));
  store.published.erase(5);
  EXPECT_EQ(NodeMap("even").hereOf({5, 4}, 1, store.lookup()), std::nullopt);
  EXPECT_EQ(NodeMap("").hereOf({0, 1}, 0, store.lookup()), std::nullopt);
}

TEST(NodeMapTest, AnotherJobStartsFromNothing) {
  FakeStore store = unevenJob();
  NodeMap map("a");
  map.begin(1);
  EXPECT_EQ(map.spreadOf({0, 1}, 0, store.lookup()), Spread::kOneNode);
  map.begin(2);
  store.published[1] = "b";
  EXPECT_EQ(map.spreadOf({0, 1}, 0, store.lookup()), Spread::kSeveralNodes);
}

TEST(NodeMapTest, ReadsFewRanksOfALargeGroup) {
  constexpr std::uint32_t kRanks = 100'000;
  FakeStore store;
  Ranks world;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    world.push_back(rank);
    store.published[rank] = "node" + std::to_string(rank / 8);
  }
  NodeMap map("node0");
  EXPECT_EQ(map.spreadOf(world, 3, store.lookup()), Spread::kSeveralNodes);
  ASSERT_EQ(store.asked.size(), 1u);
  EXPECT_EQ(store.asked[0].size(), 2u);
  const auto here = map.hereOf(world, 3, store.lookup());
  ASSERT_TRUE(here);
  EXPECT_EQ(std::count(here->begin(), here->end(), true), 8);
  EXPECT_TRUE((*here)[0] && (*here)[7] && !(*here)[8]);
  EXPECT_LE(store.asked.size(), 10u);
}

}  // namespace
}  // namespace traced
