#include "ring_io/chunks/operation_summary.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {
namespace {

TEST(OperationNameTest, IsTheNameInTheTrace) {
  for (int i = 0; i < kOperationCount; ++i) {
    std::string name = v1::Operation_Name(static_cast<v1::Operation>(i));
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(operationName(static_cast<Operation>(i)),
              name.substr(sizeof "OPERATION_" - 1));
  }
}

TEST(OperationNameTest, UnknownOperationHasAGenericName) {
  EXPECT_STREQ(operationName(static_cast<Operation>(255)), "operation");
}

}  // namespace
}  // namespace traced
