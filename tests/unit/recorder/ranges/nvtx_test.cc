// Tests the calls that an NVTX tool receives, with a fake NVTX library.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "recorder/ranges/tool_ranges.h"

namespace traced {
namespace {

TEST(NvtxTest, ReportsAMissingOrUnsuitableLibrary) {
  EXPECT_FALSE(NvtxRanges::load("libnosuchlibrary.so"));
  EXPECT_FALSE(NvtxRanges::load("libc.so.6"));
}

TEST(NvtxTest, ARangeCarriesItsOperation) {
  const auto ranges = NvtxRanges::load(TRACED_TEST_NVTX);
  ASSERT_TRUE(ranges);
  void* library = dlopen(TRACED_TEST_NVTX, RTLD_NOW);
  const auto calls =
      reinterpret_cast<const char* (*)()>(dlsym(library, "fakeNvtxCalls"));
  ASSERT_TRUE(calls);
  ranges->push({"all_reduce", 3, 17, 4096, 99, "gpu=1"});
  ranges->pop();
  EXPECT_EQ(std::string(calls()),
            "domain traced\n"
            "schema traced operation, 48 bytes\n"
            "push operation=all_reduce group=3 seq=17 bytes=4096 op_id=99 "
            "labels=gpu=1 message=all_reduce\n"
            "pop\n");
}

}  // namespace
}  // namespace traced
