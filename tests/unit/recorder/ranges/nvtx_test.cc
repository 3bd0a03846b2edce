// Tests the calls that an NVTX tool receives, with a fake NVTX library.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "recorder/ranges/nvtx_ranges.h"

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
  NvtxRanges::Payload payload;
  payload.operation = "send";
  payload.rank = 2;
  payload.group = "dp";
  payload.group_id = 3;
  payload.group_size = 4;
  payload.group_ranks = ranges->registerText("0-3");
  payload.seq = 17;
  payload.batch = 5;
  payload.bytes = 4096;
  payload.device = "cuda:1";
  payload.peer = 1;
  payload.source_line = "train.py:12";
  payload.correlation_id = "00ff";
  payload.op_id = 99;
  payload.time_ns = 1000;
  payload.labels = "gpu=1";
  ranges->push(payload);
  ranges->mark("{}");
  ranges->pop();
  EXPECT_EQ(std::string(calls()),
            "domain traced\n"
            "schema traced operation, 136 bytes\n"
            "push operation=send rank=2 group=dp group_id=3 group_size=4 "
            "group_ranks=registered 0-3 seq=17 batch=5 bytes=4096 "
            "device=cuda:1 peer=1 root=-1 source_line=train.py:12 "
            "correlation_id=00ff op_id=99 time_ns=1000 labels=gpu=1 "
            "message=send\n"
            "mark {}\n"
            "pop\n");
}

}  // namespace
}  // namespace traced
