#include "analysis/figures/bandwidth.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace traced {
namespace {

struct Case {
  v1::Operation op;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  std::uint64_t message_bytes;
  std::optional<double> factor;
};

// Four ranks, tensors of 100 bytes, with the sizes of nccl-tests.
const Case kCases[] = {
    {v1::OPERATION_ALL_REDUCE, 100, 100, 100, 1.5},
    {v1::OPERATION_ALL_REDUCE_COALESCED, 100, 100, 100, 1.5},
    {v1::OPERATION_ALL_REDUCE_SPARSE, 100, 100, 100, 1.5},
    {v1::OPERATION_BROADCAST, 100, 100, 100, 1},
    {v1::OPERATION_REDUCE, 100, 100, 100, 1},
    {v1::OPERATION_ALL_GATHER, 100, 400, 400, 0.75},
    {v1::OPERATION_ALL_GATHER, 100, 0, 400, 0.75},
    {v1::OPERATION_ALL_GATHER_COALESCED, 100, 400, 400, 0.75},
    {v1::OPERATION_ALL_GATHER_INTO_TENSOR, 100, 400, 400, 0.75},
    {v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED, 100, 400, 400, 0.75},
    {v1::OPERATION_GATHER, 100, 400, 400, 0.75},
    {v1::OPERATION_GATHER, 100, 0, 400, 0.75},
    {v1::OPERATION_GATHER_INTO_TENSOR, 100, 0, 400, 0.75},
    {v1::OPERATION_SCATTER, 400, 100, 400, 0.75},
    {v1::OPERATION_SCATTER, 0, 100, 400, 0.75},
    {v1::OPERATION_REDUCE_SCATTER, 400, 100, 400, 0.75},
    {v1::OPERATION_REDUCE_SCATTER_TENSOR, 400, 100, 400, 0.75},
    {v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED, 400, 100, 400, 0.75},
    {v1::OPERATION_ALL_TO_ALL, 300, 400, 400, 0.75},
    {v1::OPERATION_ALL_TO_ALL_SINGLE, 400, 300, 400, 0.75},
    {v1::OPERATION_SEND, 100, 0, 100, 1},
    {v1::OPERATION_RECV, 0, 100, 100, 1},
    {v1::OPERATION_BARRIER, 0, 0, 0, std::nullopt},
    {v1::OPERATION_MONITORED_BARRIER, 0, 0, 0, std::nullopt},
    {v1::OPERATION_COALESCED, 100, 0, 100, std::nullopt},
    {v1::OPERATION_SPLIT, 100, 0, 100, std::nullopt},
    {static_cast<v1::Operation>(99), 100, 0, 100, std::nullopt},
};

TEST(BandwidthTest, SizesAndFactorsAreThoseOfNcclTests) {
  for (const Case& expected : kCases) {
    v1::Call call;
    call.set_op(expected.op);
    call.set_bytes_in(expected.bytes_in);
    call.set_bytes_out(expected.bytes_out);
    EXPECT_EQ(messageBytes(call, 4), expected.message_bytes) << expected.op;
    EXPECT_EQ(busFactor(expected.op, 4), expected.factor) << expected.op;
  }
}

// Rank 0 of 4 keeps 10 of 100 rows, receives 20 rows from others, sends 90.
TEST(BandwidthTest, UnevenPartsCountTheBytesOfOtherRanks) {
  v1::Call call;
  call.set_op(v1::OPERATION_ALL_TO_ALL_SINGLE);
  call.set_bytes_in(400);
  call.set_bytes_out(120);
  for (const int rows : {10, 50, 20, 20}) call.add_split_in(rows);
  for (const int rows : {10, 5, 5, 10}) call.add_split_out(rows);
  EXPECT_DOUBLE_EQ(*busFactor(call, 4, 0) * 400, 360);
  EXPECT_DOUBLE_EQ(*busFactor(call, 4, 1) * 400, 200);
  call.set_splits_cut(1);
  EXPECT_EQ(busFactor(call, 4, 0), std::nullopt);
  call.set_op(v1::OPERATION_ALL_REDUCE);
  EXPECT_EQ(busFactor(call, 4, 0), 1.5);
}

TEST(BandwidthTest, AnUnknownGroupHasNoBandwidth) {
  EXPECT_EQ(busFactor(v1::OPERATION_ALL_REDUCE, 0), std::nullopt);
}

TEST(BandwidthTest, AbsurdSizesDoNotOverflow) {
  v1::Call call;
  call.set_op(v1::OPERATION_GATHER);
  call.set_bytes_in(std::numeric_limits<std::uint64_t>::max() / 2);
  EXPECT_EQ(messageBytes(call, 4), std::numeric_limits<std::uint64_t>::max());
}

TEST(BandwidthTest, BucketsArePowersOfTwo) {
  EXPECT_EQ(sizeBucket(0), "0 B");
  EXPECT_EQ(sizeBucket(1), "1-2 B");
  EXPECT_EQ(sizeBucket(511), "256-512 B");
  EXPECT_EQ(sizeBucket(512), "512 B-1 KiB");
  EXPECT_EQ(sizeBucket(1024), "1-2 KiB");
  EXPECT_EQ(sizeBucket(64 * 1024), "64-128 KiB");
  EXPECT_EQ(sizeBucket(128 * 1024 - 1), "64-128 KiB");
  EXPECT_EQ(sizeBucket(std::uint64_t{25} << 20), "16-32 MiB");
  EXPECT_EQ(sizeBucket(std::numeric_limits<std::uint64_t>::max()), "8-16 EiB");
}

}  // namespace
}  // namespace traced
