#include "analysis/stream/names.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(NamesTest, AreLowerCaseWithoutPrefix) {
  EXPECT_EQ(nameOf(v1::OPERATION_ALL_GATHER_INTO_TENSOR),
            "all_gather_into_tensor");
  EXPECT_EQ(nameOf(v1::DTYPE_BFLOAT16), "bfloat16");
  EXPECT_EQ(nameOf(v1::REDUCE_OP_PREMUL_SUM), "premul_sum");
  EXPECT_EQ(nameOf(v1::DEVICE_TYPE_CUDA), "cuda");
  EXPECT_EQ(nameOf(v1::END_SOURCE_DEVICE_EVENT), "device_event");
  EXPECT_EQ(nameOf(v1::END_SOURCE_COMPLETION_HOOK), "hook");
  EXPECT_EQ(nameOf(v1::DROP_REASON_RING_FULL), "ring_full");
  EXPECT_EQ(nameOf(v1::CLOCK_SOURCE_SAME_CLOCK), "same_clock");
}

TEST(NamesTest, ANumberOfANewerSchemaIsNamedByItself) {
  EXPECT_EQ(nameOf(static_cast<v1::Operation>(99)), "operation_99");
  EXPECT_EQ(nameOf(static_cast<v1::DType>(99)), "dtype_99");
}

}  // namespace
}  // namespace traced
