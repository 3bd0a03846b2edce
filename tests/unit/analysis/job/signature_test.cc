#include "analysis/job/signature.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(SignatureTest, ItsTextHasWhatIsKnown) {
  Signature signature;
  signature.op = v1::OPERATION_ALL_REDUCE;
  EXPECT_EQ(textOf(signature), "all_reduce");
  signature.dtype = v1::DTYPE_FLOAT32;
  EXPECT_EQ(textOf(signature), "all_reduce (float32)");
  signature.bytes_in = 25 << 20;
  EXPECT_EQ(textOf(signature), "all_reduce (25 MiB float32)");
  signature.reduce_op = v1::REDUCE_OP_SUM;
  EXPECT_EQ(textOf(signature), "all_reduce (25 MiB float32, sum)");
}

}  // namespace
}  // namespace traced
