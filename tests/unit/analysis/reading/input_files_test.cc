#include "analysis/reading/input_files.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(PendingNameTest, KnowsItsOwnNames) {
  for (const char* path : {"run.traced", "a/b", "a.tmp"}) {
    const std::string name = pendingNameOf(path);
    EXPECT_TRUE(name.starts_with(path)) << name;
    EXPECT_TRUE(isPendingName(name)) << name;
    EXPECT_NE(pendingNameOf(path), name);
  }
}

TEST(PendingNameTest, NothingElseIsOne) {
  for (const char* path :
       {"", ".tmp", "run.traced", "run.tmp", "0123456789abcdef.tmp",
        "run0123456789abcdef.tmp", "run.123456789abcdef.tmp",
        "run.0123456789abcdeg.tmp", "run.0123456789abcdef.tmp.traced"}) {
    EXPECT_FALSE(isPendingName(path)) << path;
  }
}

}  // namespace
}  // namespace traced
