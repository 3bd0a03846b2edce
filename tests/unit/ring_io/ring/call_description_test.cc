#include "ring_io/ring/call_description.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "ring_io/chunks/encode_definitions.h"

namespace traced {
namespace {

v1::Call encode(const CallDescription& call) {
  return encodeCall(1,
                    {static_cast<const char*>(call.bytes()), call.byteSize()});
}

std::string_view identity(const CallDescription& call) {
  return {static_cast<const char*>(call.bytes()), call.byteSize()};
}

TEST(CallDescriptionTest, KeepsShapesDtypesAndExactBytes) {
  CallDescription call(Operation::kAllGatherIntoTensor, 3);
  call.addInput(DType::kFloat32, std::vector<std::int64_t>{2, 8}, 64);
  call.addOutput(DType::kFloat32, std::vector<std::int64_t>{8, 8}, 256);
  call.fields().root = 2;
  call.fields().async_plus_1 = 1;
  call.fields().timeout_ms = 5000;
  const v1::Call encoded = encode(call);
  EXPECT_EQ(encoded.op(), v1::OPERATION_ALL_GATHER_INTO_TENSOR);
  EXPECT_EQ(encoded.group(), 3u);
  ASSERT_EQ(encoded.input_size(), 1);
  EXPECT_EQ(encoded.input(0).dtype(), v1::DTYPE_FLOAT32);
  ASSERT_EQ(encoded.input(0).shape_size(), 2);
  EXPECT_EQ(encoded.input(0).shape(1), 8);
  EXPECT_EQ(encoded.output(0).shape(0), 8);
  EXPECT_EQ(encoded.bytes_in(), 64u);
  EXPECT_EQ(encoded.bytes_out(), 256u);
  EXPECT_EQ(encoded.root_plus_1(), 3u);
  EXPECT_EQ(encoded.peer_plus_1(), 0u);
  EXPECT_TRUE(encoded.has_async());
  EXPECT_FALSE(encoded.async());
  EXPECT_EQ(encoded.timeout_ms(), 5000);
  EXPECT_FALSE(encoded.has_tag());
}

TEST(CallDescriptionTest, JoinsEqualTensorsIntoRuns) {
  CallDescription call(Operation::kAllGather, 1);
  call.addInput(DType::kInt64, std::vector<std::int64_t>{4}, 32);
  for (int i = 0; i < 300; ++i) {
    call.addOutput(DType::kInt64, std::vector<std::int64_t>{4}, 32);
  }
  call.addOutput(DType::kInt32, std::vector<std::int64_t>{4}, 16);
  const v1::Call encoded = encode(call);
  EXPECT_EQ(encoded.input_size(), 1) << "inputs and outputs are kept apart";
  ASSERT_EQ(encoded.output_size(), 2);
  EXPECT_EQ(encoded.output(0).count(), 300u);
  EXPECT_EQ(encoded.output(1).count(), 0u);
  EXPECT_EQ(encoded.tensors_out(), 301u);
  EXPECT_EQ(encoded.bytes_out(), 300u * 32 + 16);
}

TEST(CallDescriptionTest, CountsTruncatedTensorsAndSplits) {
  CallDescription call(Operation::kAllReduceCoalesced, 1);
  call.fields().in_place = true;
  const std::int64_t tensors = CallDescription::kMaxWords;
  for (std::int64_t i = 0; i < tensors; ++i) {
    call.addInput(DType::kUint8, std::vector<std::int64_t>{i}, 1);
  }
  const std::vector<std::int64_t> splits(10, 1);
  call.addSplits(splits, splits);
  const v1::Call encoded = encode(call);
  EXPECT_EQ(encoded.tensors_in(), tensors);
  EXPECT_EQ(encoded.input_size() + encoded.tensors_cut(), tensors);
  EXPECT_GT(encoded.tensors_cut(), 0u);
  EXPECT_EQ(encoded.bytes_in(), tensors) << "bytes are exact all the same";
  EXPECT_EQ(encoded.bytes_out(), tensors) << "in place: both";
  EXPECT_EQ(
      encoded.split_in_size() + encoded.split_out_size() + encoded.splits_cut(),
      20u);
}

TEST(CallDescriptionTest, EqualsOnlyIfEveryFieldDoes) {
  const auto make = [](std::int64_t dim, int root) {
    CallDescription call(Operation::kBroadcast, 1);
    call.addInput(DType::kFloat32, std::vector<std::int64_t>{dim}, 4);
    call.fields().root = root;
    return call;
  };
  EXPECT_EQ(identity(make(4, 0)), identity(make(4, 0)));
  EXPECT_NE(identity(make(4, 0)), identity(make(5, 0)));
  EXPECT_NE(identity(make(4, 0)), identity(make(4, 1)));
}

TEST(BufferListTest, KeepsRangesAndCountsTruncatedOnes) {
  BufferList list;
  for (std::uint64_t i = 0; i < BufferList::kMaxRanges + 3; ++i) {
    list.add({0x1000 + i, i, 2 * i});
  }
  const v1::Buffers buffers = encodeBuffers(
      9, {static_cast<const char*>(list.bytes()), list.byteSize()});
  EXPECT_EQ(buffers.id(), 9u);
  ASSERT_EQ(buffers.range_size(), static_cast<int>(BufferList::kMaxRanges));
  EXPECT_EQ(buffers.range(2).storage(), 0x1002u);
  EXPECT_EQ(buffers.range(2).offset_bytes(), 2u);
  EXPECT_EQ(buffers.range(2).span_bytes(), 4u);
  EXPECT_EQ(buffers.cut(), 3u);
}

}  // namespace
}  // namespace traced
