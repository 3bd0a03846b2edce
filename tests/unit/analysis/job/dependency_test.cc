#include "analysis/job/dependency.h"

#include <gtest/gtest.h>

#include <vector>

namespace traced {
namespace {

constexpr std::uint32_t kRanks = 3;
constexpr std::uint32_t kRoot = 1;

v1::Call callOf(v1::Operation op, std::uint64_t bytes = 64) {
  v1::Call call;
  call.set_op(op);
  call.set_bytes_in(bytes);
  call.set_bytes_out(bytes);
  call.set_root_plus_1(kRoot + 1);
  return call;
}

bool proves(const v1::Call& call, std::uint32_t x, std::uint32_t y) {
  return endProvesStart(call, kRanks, x, y);
}

struct Row {
  v1::Operation op;
  // Whether the table requires X, or Y, to be the root.
  bool x_is_root, y_is_root;
};

class DependencyTableTest : public ::testing::TestWithParam<Row> {};

TEST_P(DependencyTableTest, AnEndProvesTheStartsInTheTable) {
  const auto [op, x_is_root, y_is_root] = GetParam();
  const v1::Call call = callOf(op);
  for (std::uint32_t x = 0; x < kRanks; ++x) {
    for (std::uint32_t y = 0; y < kRanks; ++y) {
      const bool expected =
          x != y && (!x_is_root || x == kRoot) && (!y_is_root || y == kRoot);
      EXPECT_EQ(proves(call, x, y), expected) << x << " on " << y;
      // A rank's role is consistent with the pairwise answers for all other
      // ranks.
      if (x == y) continue;
      EXPECT_EQ(dependencyRole(call, kRanks, x).proves &&
                    dependencyRole(call, kRanks, y).proven,
                expected)
          << x << " on " << y;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operations, DependencyTableTest,
    ::testing::Values(Row{v1::OPERATION_ALL_REDUCE, false, false},
                      Row{v1::OPERATION_ALL_REDUCE_COALESCED, false, false},
                      Row{v1::OPERATION_ALL_GATHER, false, false},
                      Row{v1::OPERATION_ALL_GATHER_INTO_TENSOR, false, false},
                      Row{v1::OPERATION_REDUCE_SCATTER, false, false},
                      Row{v1::OPERATION_REDUCE_SCATTER_TENSOR, false, false},
                      Row{v1::OPERATION_ALL_TO_ALL, false, false},
                      Row{v1::OPERATION_ALL_TO_ALL_SINGLE, false, false},
                      Row{v1::OPERATION_BARRIER, false, false},
                      Row{v1::OPERATION_MONITORED_BARRIER, false, false},
                      Row{v1::OPERATION_BROADCAST, false, true},
                      Row{v1::OPERATION_SCATTER, false, true},
                      Row{v1::OPERATION_REDUCE, true, false},
                      Row{v1::OPERATION_GATHER, true, false},
                      Row{v1::OPERATION_GATHER_INTO_TENSOR, true, false}));

TEST(DependencyTest, AnOperationWithoutBytesProvesNothingUnlessItIsABarrier) {
  EXPECT_FALSE(proves(callOf(v1::OPERATION_ALL_REDUCE, 0), 0, 1));
  EXPECT_FALSE(proves(callOf(v1::OPERATION_BROADCAST, 0), 0, kRoot));
  EXPECT_TRUE(proves(callOf(v1::OPERATION_BARRIER, 0), 0, 1));
  const v1::Call empty = callOf(v1::OPERATION_ALL_REDUCE, 0);
  EXPECT_FALSE(dependencyRole(empty, kRanks, 0).proves);
}

TEST(DependencyTest, AReceiveProvesTheSendAndNotTheOtherWay) {
  v1::Call recv = callOf(v1::OPERATION_RECV);
  recv.set_peer_plus_1(2 + 1);
  EXPECT_TRUE(proves(recv, 0, 2));
  EXPECT_FALSE(proves(recv, 0, 1));
  v1::Call send = callOf(v1::OPERATION_SEND);
  send.set_peer_plus_1(0 + 1);
  EXPECT_FALSE(proves(send, 2, 0));
  EXPECT_TRUE(dependencyRole(send, kRanks, 2).proven);
  recv.clear_peer_plus_1();  // from any source
  EXPECT_FALSE(proves(recv, 0, 2));
  EXPECT_FALSE(dependencyRole(recv, kRanks, 0).proves);
}

TEST(DependencyTest, SplitsShowTheSendingRanks) {
  v1::Call call = callOf(v1::OPERATION_ALL_TO_ALL_SINGLE);
  for (const std::int64_t split : {0, 4, 0}) call.add_split_out(split);
  EXPECT_TRUE(proves(call, 0, 1));
  EXPECT_FALSE(proves(call, 0, 2));
  EXPECT_FALSE(dependencyRole(call, kRanks, 0).proves);
  call.set_split_out(2, 1);
  EXPECT_TRUE(dependencyRole(call, kRanks, 0).proves);
  // A damaged record with fewer splits than ranks.
  call.mutable_split_out()->RemoveLast();
  EXPECT_FALSE(proves(call, 0, 2));
  call.clear_split_out();
  call.set_splits_cut(3);
  EXPECT_FALSE(proves(call, 0, 1));
}

TEST(DependencyTest, OutputsShowTheSendingRanks) {
  for (const v1::Operation op :
       {v1::OPERATION_ALL_GATHER, v1::OPERATION_ALL_TO_ALL,
        v1::OPERATION_GATHER}) {
    v1::Call call = callOf(op);
    call.set_tensors_out(kRanks);
    v1::TensorRun& full = *call.add_output();
    full.set_count(2);
    full.add_shape(5);
    call.add_output()->add_shape(0);
    EXPECT_TRUE(proves(call, kRoot, 0));
    EXPECT_FALSE(proves(call, kRoot, 2));
    EXPECT_FALSE(dependencyRole(call, kRanks, kRoot).proves);
  }
}

TEST(DependencyTest, ManagementAndBatchesProveNothing) {
  for (const v1::Operation op : {v1::OPERATION_COALESCED, v1::OPERATION_SPLIT,
                                 v1::OPERATION_UNSPECIFIED}) {
    EXPECT_FALSE(proves(callOf(op), 0, 1));
    EXPECT_FALSE(dependencyRole(callOf(op), kRanks, 0).proven);
  }
}

}  // namespace
}  // namespace traced
