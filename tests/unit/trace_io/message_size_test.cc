// Tests message sizes against the definition of nccl-tests. S is the array that
// all ranks together contribute or receive (all_gather, reduce_scatter,
// all_to_all, gather, scatter), otherwise the tensor.

#include "trace_io/message_size.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace traced {
namespace {

constexpr std::uint32_t kRanks = 4;
constexpr std::uint32_t kSelf = 1;

struct Case {
  v1::Operation op;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  std::uint64_t message;
  std::uint64_t for_others;
};

// Four ranks with 100 bytes each, from rank 1's view.
const Case kCases[] = {
    {v1::OPERATION_ALL_REDUCE, 100, 100, 100, 100},
    {v1::OPERATION_ALL_REDUCE_COALESCED, 100, 100, 100, 100},
    {v1::OPERATION_ALL_REDUCE_SPARSE, 100, 100, 100, 100},
    {v1::OPERATION_BROADCAST, 100, 100, 100, 100},
    {v1::OPERATION_REDUCE, 100, 100, 100, 100},
    {v1::OPERATION_ALL_GATHER, 100, 400, 400, 300},
    {v1::OPERATION_ALL_GATHER_COALESCED, 100, 400, 400, 300},
    {v1::OPERATION_ALL_GATHER_INTO_TENSOR, 100, 400, 400, 300},
    {v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED, 100, 400, 400, 300},
    {v1::OPERATION_REDUCE_SCATTER, 400, 100, 400, 300},
    {v1::OPERATION_REDUCE_SCATTER_TENSOR, 400, 100, 400, 300},
    {v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED, 400, 100, 400, 300},
    // The root and another rank get the same size.
    {v1::OPERATION_GATHER, 100, 400, 400, 300},
    {v1::OPERATION_GATHER, 100, 0, 400, 300},
    {v1::OPERATION_GATHER_INTO_TENSOR, 100, 0, 400, 300},
    {v1::OPERATION_SCATTER, 400, 100, 400, 300},
    {v1::OPERATION_SCATTER, 0, 100, 400, 300},
    {v1::OPERATION_ALL_TO_ALL_SINGLE, 400, 400, 400, 300},
    {v1::OPERATION_SEND, 100, 0, 100, 100},
    {v1::OPERATION_RECV, 0, 100, 100, 100},
    {v1::OPERATION_BARRIER, 0, 0, 0, 0},
};

v1::Call callOf(v1::Operation op, std::uint64_t in, std::uint64_t out) {
  v1::Call call;
  call.set_op(op);
  call.set_bytes_in(in);
  call.set_bytes_out(out);
  return call;
}

v1::Call unevenAllToAll(const std::vector<std::int64_t>& rows_in,
                        std::uint64_t in, std::uint64_t out) {
  v1::Call call = callOf(v1::OPERATION_ALL_TO_ALL_SINGLE, in, out);
  for (const std::int64_t rows : rows_in) call.add_split_in(rows);
  return call;
}

void addTensors(v1::Call& call, std::uint32_t count,
                const std::vector<std::int64_t>& shape,
                v1::DType dtype = v1::DTYPE_FLOAT32) {
  v1::TensorRun* run = call.add_input();
  run->set_dtype(dtype);
  run->set_count(count);
  for (const std::int64_t size : shape) run->add_shape(size);
}

TEST(MessageSizeTest, IsThatOfNcclTestsWithAndWithoutTheOwnShare) {
  for (const Case& c : kCases) {
    const v1::Call call = callOf(c.op, c.bytes_in, c.bytes_out);
    EXPECT_EQ(messageBytes(call, kRanks), c.message) << c.op;
    EXPECT_EQ(bytesForOthers(call, kRanks, kSelf), c.for_others) << c.op;
  }
}

TEST(MessageSizeTest, AnUnevenAllToAllKeepsTheRowsOfItsOwnSplit) {
  // Rows of 4 bytes: 10 in, 7 of them for rank 1 itself; 12 out.
  const v1::Call call = unevenAllToAll({1, 7, 2, 0}, 40, 48);
  EXPECT_EQ(messageBytes(call, kRanks), 48u) << "the larger of the two";
  EXPECT_EQ(bytesForOthers(call, kRanks, 1), 48u - 28u);
  EXPECT_EQ(bytesForOthers(call, kRanks, 3), 48u);
}

TEST(MessageSizeTest, AListAllToAllKeepsItsOwnTensor) {
  v1::Call call = callOf(v1::OPERATION_ALL_TO_ALL, 4 * (8 + 8 + 2 + 6), 96);
  addTensors(call, 2, {4, 2});
  addTensors(call, 1, {2});
  addTensors(call, 1, {6});
  EXPECT_EQ(bytesForOthers(call, kRanks, 0), 96u - 32u);
  EXPECT_EQ(bytesForOthers(call, kRanks, 1), 96u - 32u);
  EXPECT_EQ(bytesForOthers(call, kRanks, 2), 96u - 8u);
  EXPECT_EQ(bytesForOthers(call, kRanks, 3), 96u - 24u);
}

TEST(MessageSizeTest, AnOwnShareThatIsNotKnownIsNotGuessed) {
  v1::Call cut_splits = unevenAllToAll({1, 7}, 40, 48);
  cut_splits.set_splits_cut(2);
  EXPECT_EQ(bytesForOthers(cut_splits, kRanks, 1), std::nullopt);
  EXPECT_EQ(bytesForOthers(unevenAllToAll({1, 7}, 40, 48), kRanks, 2),
            std::nullopt);
  v1::Call cut_tensors = callOf(v1::OPERATION_ALL_TO_ALL, 96, 96);
  addTensors(cut_tensors, 1, {6});
  cut_tensors.set_tensors_cut(3);
  EXPECT_EQ(bytesForOthers(cut_tensors, kRanks, 0), std::nullopt);
  v1::Call mixed = callOf(v1::OPERATION_ALL_TO_ALL, 96, 96);
  addTensors(mixed, 3, {6});
  addTensors(mixed, 1, {6}, v1::DTYPE_FLOAT64);
  EXPECT_EQ(bytesForOthers(mixed, kRanks, 0), std::nullopt);
}

TEST(MessageSizeTest, AnAllToAllReportsWhomItSendsHowMuch) {
  using Bytes = std::vector<std::uint64_t>;
  EXPECT_EQ(bytesToEach(callOf(v1::OPERATION_ALL_TO_ALL_SINGLE, 400, 400), 4),
            (Bytes{100, 100, 100, 100}));
  EXPECT_EQ(bytesToEach(unevenAllToAll({1, 7, 2, 0}, 40, 48), 4),
            (Bytes{4, 28, 8, 0}));
  v1::Call list = callOf(v1::OPERATION_ALL_TO_ALL, 4 * (8 + 8 + 2 + 6), 96);
  addTensors(list, 2, {4, 2});
  addTensors(list, 1, {2});
  addTensors(list, 1, {6});
  EXPECT_EQ(bytesToEach(list, 4), (Bytes{32, 32, 8, 24}));
}

TEST(MessageSizeTest, DoesNotGuessTheSplitsOfAnAllToAll) {
  EXPECT_TRUE(bytesToEach(unevenAllToAll({1, 7}, 40, 48), 4).empty());
  EXPECT_TRUE(bytesToEach(unevenAllToAll({1, 7, 2, 0, 5}, 40, 48), 4).empty());
  v1::Call list = callOf(v1::OPERATION_ALL_TO_ALL, 96, 96);
  addTensors(list, UINT32_MAX, {6});
  EXPECT_TRUE(bytesToEach(list, 4).empty());
  list.mutable_input(0)->set_count(3);
  addTensors(list, 1, {6});
  EXPECT_FALSE(bytesToEach(list, 4).empty());
  list.set_tensors_cut(1);
  EXPECT_TRUE(bytesToEach(list, 4).empty());
  list.set_tensors_cut(0);
  list.mutable_input(1)->set_dtype(v1::DTYPE_FLOAT64);
  EXPECT_TRUE(bytesToEach(list, 4).empty()) << "elements of two sizes";
}

TEST(MessageSizeTest, AbsurdCallsDoNoHarm) {
  const v1::Call call =
      unevenAllToAll({INT64_MIN, INT64_MAX, 1, 0}, UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(bytesForOthers(call, kRanks, 0), std::nullopt) << "no such split";
  EXPECT_TRUE(bytesToEach(call, kRanks).empty());
  EXPECT_EQ(bytesForOthers(unevenAllToAll({0, 0}, 8, 8), 2, 0), 8u);
  EXPECT_EQ(bytesForOthers(callOf(v1::OPERATION_ALL_GATHER, 9, 4), 2, 0), 0u);
  EXPECT_EQ(messageBytes(callOf(v1::OPERATION_GATHER, UINT64_MAX / 2, 0), 4),
            UINT64_MAX);
}

TEST(MessageSizeTest, ElementsAreThoseOfAllTensors) {
  v1::Call call = callOf(v1::OPERATION_ALL_REDUCE, 0, 0);
  EXPECT_EQ(elementsOf(call.input()), 0);
  addTensors(call, 3, {2, 5});
  addTensors(call, 1, {});
  EXPECT_EQ(elementsOf(call.input()), 31);
}

TEST(MessageSizeTest, ElementsThatCannotBeCountedAreAbsent) {
  v1::Call call = callOf(v1::OPERATION_ALL_REDUCE, 0, 0);
  addTensors(call, 2, {std::int64_t{1} << 62});
  EXPECT_EQ(elementsOf(call.input()), std::nullopt);
  v1::TensorRun run;
  run.add_shape(INT64_MAX);
  run.add_shape(INT64_MIN);
  EXPECT_EQ(elementsOfEach(run), 0);
}

}  // namespace
}  // namespace traced
