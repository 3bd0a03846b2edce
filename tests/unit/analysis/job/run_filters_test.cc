// Tests which operations cross nodes, by the headers of a run.

#include "analysis/job/run_filters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

// Four ranks: 0 and 1 on one host, 2 on another one, 3 has no trace. Rank 0's
// calls: all_reduce of all, of {0, 1}, of {0, 1, 2}; messages to 1, to 2, to 3,
// and from any source; and an unknown call.
class ScopeTest : public ::testing::Test {
 protected:
  ScopeTest() {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      StreamBuilder& stream = streams_.emplace_back(rank, 4);
      stream.header().set_boot_id(rank < 2 ? "boot-0" : "boot-1");
    }
    StreamBuilder& own = streams_[0];
    own.addGroup("world", 0, 4);
    own.addGroup("pair", 0, 2);
    own.addGroup("three", 0, 3).set_nth(1);
    for (const std::uint32_t group : {1u, 2u, 3u}) {
      own.addCall(v1::OPERATION_ALL_REDUCE, group, 64, 64);
    }
    for (const std::uint32_t peer : {1u, 2u, 3u}) {
      own.addCall(v1::OPERATION_SEND, 1, 64, 0)
          .set_peer_global_plus_1(peer + 1);
    }
    own.addCall(v1::OPERATION_RECV, 2, 0, 64);
    for (std::uint64_t i = 1; i <= 8; ++i) {
      own.addOperation(i, StreamBuilder::kIssueNs,
                       static_cast<std::uint32_t>(i), i, 1000);
    }
  }

  // Returns, for each of the eight operations, whether the filter keeps it.
  std::vector<bool> held(ReportedScope scope) {
    testing::TempDir dir;
    for (StreamBuilder& stream : streams_) {
      testing::writeFile(dir.path() + "/" + std::to_string(stream.streamId()),
                         stream.takeChunk(true));
    }
    const auto set = openTraceSet({dir.path()});
    EXPECT_TRUE(set);
    const NodeIndex nodes(*set);
    const StreamTable table =
        StreamLoader(*set).load(set->streams[set->selected[0]]);
    EXPECT_EQ(table.header.rank(), 0u);
    const ScopeFilter filter(scope, nodes, table);
    std::vector<bool> held;
    for (const AssembledOperation& op : table.operations) {
      held.push_back(filter.holds(op));
    }
    return held;
  }

  std::vector<StreamBuilder> streams_;
};

TEST_F(ScopeTest, CrossNodeDependsOnTheGroupOrTheMessagesPeer) {
  EXPECT_EQ(held(ReportedScope::kCrossNode),
            (std::vector<bool>{true, false, true,  // groups
                               false, true, true,  // messages to 1, 2, 3
                               false,              // within the pair
                               true}));            // an unknown call
}

TEST_F(ScopeTest, AllHoldsEverything) {
  EXPECT_EQ(held(ReportedScope::kAll), std::vector<bool>(8, true));
}

TEST_F(ScopeTest, NoneHoldsNothing) {
  EXPECT_EQ(held(ReportedScope::kNone), std::vector<bool>(8, false));
}

TEST_F(ScopeTest, TheNameThatAUserGaveANodeCountsBeforeTheHost) {
  streams_[1].header().set_node("other");
  streams_[2].header().set_node("boot-0");
  const std::vector<bool> other = held(ReportedScope::kCrossNode);
  EXPECT_TRUE(other[1]) << "the pair is on two nodes now";
  EXPECT_TRUE(other[4]) << "a name is never taken for a boot id";
}

TEST_F(ScopeTest, WithoutABootIdTheHostCounts) {
  for (StreamBuilder& stream : streams_) stream.header().clear_boot_id();
  streams_[0].header().set_host("a");
  streams_[1].header().set_host("a");
  streams_[2].header().set_host("b");
  EXPECT_FALSE(held(ReportedScope::kCrossNode)[1]);
}

TEST_F(ScopeTest, UnknownNodesLeaveOutNothing) {
  for (StreamBuilder& stream : streams_) {
    stream.header().clear_boot_id();
    stream.header().clear_host();
  }
  EXPECT_EQ(held(ReportedScope::kCrossNode), std::vector<bool>(8, true));
}

TEST(ReportedScopeTest, NamesAreThoseOfTheOption) {
  for (const auto scope :
       {ReportedScope::kAll, ReportedScope::kCrossNode, ReportedScope::kNone}) {
    EXPECT_EQ(reportedScopeNamed(nameOf(scope)), scope);
  }
  EXPECT_EQ(reportedScopeNamed("nodes"), std::nullopt);
}

}  // namespace
}  // namespace traced
