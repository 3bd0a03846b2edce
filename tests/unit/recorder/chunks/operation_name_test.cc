#include "recorder/chunks/operation_name.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(OperationNameTest, IsTheNameInTheTrace) {
  EXPECT_STREQ(operationName(Operation::kAllReduce), "all_reduce");
  EXPECT_STREQ(operationName(Operation::kAllGatherIntoTensor),
               "all_gather_into_tensor");
}

TEST(OperationNameTest, WhatHasNoNameIsAnOperation) {
  EXPECT_STREQ(operationName(static_cast<Operation>(255)), "operation");
}

}  // namespace
}  // namespace traced
