#include "analysis/flight_recorder/vocabulary.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(DumpVocabularyTest, ParsesProfilingNames) {
  const ProfilingName reduce = parseProfilingName("gloo:all_reduce");
  EXPECT_EQ(reduce.backend, "gloo");
  EXPECT_EQ(reduce.op, "all_reduce");
  EXPECT_FALSE(reduce.self);

  const ProfilingName send = parseProfilingName("nccl:send 3->12");
  EXPECT_EQ(send.op, "send");
  EXPECT_EQ(send.self, 3u);
  EXPECT_EQ(send.peer, 12u);

  const ProfilingName recv = parseProfilingName("nccl:recv 3<-1");
  EXPECT_EQ(recv.op, "recv");
  EXPECT_EQ(recv.self, 3u);
  EXPECT_EQ(recv.peer, 1u);

  const ProfilingName any = parseProfilingName("fake:recv 1<-?");
  EXPECT_EQ(any.self, 1u);
  EXPECT_FALSE(any.peer);
}

TEST(DumpVocabularyTest, UnknownNamesGiveLittleInformation) {
  EXPECT_EQ(parseProfilingName("").op, "");
  EXPECT_EQ(parseProfilingName("all_reduce").op, "all_reduce");
  EXPECT_EQ(parseProfilingName("a:b:c").op, "b:c");
  EXPECT_FALSE(parseProfilingName("nccl:send ->").self);
  EXPECT_FALSE(parseProfilingName("nccl:send -1->99999999999").peer);
  EXPECT_EQ(operationOfDump("new_window"), v1::OPERATION_UNSPECIFIED);
  EXPECT_EQ(dtypeOfDump("Float7").dtype, v1::DTYPE_OTHER);
  EXPECT_EQ(dtypeOfDump("Float7").bytes, 0u);
}

TEST(DumpVocabularyTest, NamesOfOneOperationAreOne) {
  EXPECT_EQ(operationOfDump("_all_gather_base"),
            operationOfDump("all_gather_single"));
  EXPECT_EQ(operationOfDump("all_reduce_barrier"), v1::OPERATION_BARRIER);
  EXPECT_EQ(operationOfDump("ALLGATHER_coalesced"), v1::OPERATION_COALESCED);
  EXPECT_EQ(dtypeOfDump("BFloat16").bytes, 2u);
  EXPECT_EQ(dtypeOfDump("ComplexDouble").bytes, 16u);
}

}  // namespace
}  // namespace traced
