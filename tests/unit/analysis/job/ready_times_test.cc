#include "analysis/job/ready_times.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

class ReadyTimesTest : public ::testing::Test {
 protected:
  ReadyTimesTest() : stream_(0) {
    group_ = &stream_.addGroup("dp", 0, 2);
    call_ = &stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  }

  void issue(std::uint64_t op, std::int64_t ns, std::uint32_t call = 1) {
    stream_.add(
        IssueRow{.op = op, .issue_ns = at(ns), .call = call, .seq = op});
  }
  void end(std::uint64_t op, std::int64_t ns,
           v1::EndSource source = v1::END_SOURCE_FUTURE) {
    stream_.add(DoneRow{.op = op,
                        .end_ns = at(ns),
                        .source = static_cast<std::uint32_t>(source)});
  }
  static std::int64_t at(std::int64_t ns) {
    return StreamBuilder::kIssueNs + ns;
  }

  // Returns the latest (or earliest) possible ready times, relative to the
  // first issue; -1 if unknown.
  std::vector<std::int64_t> ready(bool earliest = false) {
    testing::writeFile(dir_.path() + "/0", before_ + stream_.takeChunk(true));
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    StreamLoader loader(*set);
    const StreamTable table = loader.load(set->streams[0]);
    std::vector<std::int64_t> result;
    for (const ReadyTime& ready : readyTimes(table)) {
      const Instant instant = earliest ? ready.earliest : ready.at;
      result.push_back(instant.known() ? instant.ns() - at(0) : -1);
    }
    return result;
  }

  // Returns the ready time after two Gloo operations whose end only a wait
  // showed.
  std::int64_t readyBehindWaits() {
    group_->set_backend("gloo");
    for (const std::uint64_t op : {1, 2}) {
      issue(op, 0);
      stream_.add(WaitRow{
          .op = op, .wait_begin_ns = at(10), .wait_ns = 90, .saw_end = 1});
    }
    issue(3, 1'000);
    return ready().back();
  }

  testing::TempDir dir_;
  StreamBuilder stream_;
  v1::Group* group_;
  v1::Call* call_;
  // Chunks that were written before.
  std::string before_;
};

using Times = std::vector<std::int64_t>;

TEST_F(ReadyTimesTest, OneWorkerTakesOneOperationAfterTheOther) {
  group_->set_backend("fake");
  issue(1, 0), end(1, 500);
  issue(2, 100), end(2, 900);
  issue(3, 950), end(3, 990);
  EXPECT_EQ(ready(), (Times{0, 500, 950}));
}

TEST_F(ReadyTimesTest, GlooHasTwoWorkers) {
  group_->set_backend("gloo");
  issue(1, 0), end(1, 500);
  issue(2, 100), end(2, 900);
  issue(3, 200), end(3, 990);
  EXPECT_EQ(ready(), (Times{0, 100, 500}));
}

TEST_F(ReadyTimesTest, BeforeAFutureReportedItAnEndMayHaveBeenLongAgo) {
  group_->set_backend("fake");
  issue(1, 0), end(1, 500);
  issue(2, 100), end(2, 900, v1::END_SOURCE_HOST_CALL);
  issue(3, 200), end(3, 990);
  EXPECT_EQ(ready(true), (Times{0, 100, 900}));
}

TEST_F(ReadyTimesTest, AnUnknownOrLateEndLeavesTheNextUnknown) {
  group_->set_backend("fake");
  issue(1, 0), end(1, 500, v1::END_SOURCE_COMPLETION_HOOK);
  issue(2, 100), end(2, 600);
  issue(3, 700);  // no recorded end
  issue(4, 800), end(4, 900);
  EXPECT_EQ(ready(), (Times{0, -1, 700, -1}));
}

// Numbers 2 and 3 are lost. They may occupy both workers, one of them forever.
TEST_F(ReadyTimesTest, LostOperationsMayOccupyAWorker) {
  group_->set_backend("gloo");
  const std::uint32_t barrier =
      stream_.addCall(v1::OPERATION_BARRIER, 1, 0, 0).id();
  issue(1, 0);
  end(1, 10);
  issue(4, 20);
  end(4, 40);
  issue(5, 30);
  end(5, 60);
  issue(6, 50);
  end(6, 70);
  issue(7, 80, barrier);
  end(7, 90);
  // A worker may still run the callback of an operation that ended before the
  // barrier.
  issue(8, 85, barrier);
  EXPECT_EQ(ready(), (Times{0, -1, 40, 60, -1, -1}));
}

TEST_F(ReadyTimesTest, OneLostOperationLeavesAWorker) {
  group_->set_backend("gloo");
  issue(1, 0);
  end(1, 10);
  issue(3, 5);
  EXPECT_EQ(ready(), (Times{0, 10}));
}

// The other worker ran the later operations.
TEST_F(ReadyTimesTest, AnUnknownEndLeavesOneOfGloosWorkersFree) {
  group_->set_backend("gloo");
  issue(1, 0);  // no recorded end
  issue(2, 10), end(2, 300);
  issue(3, 20), end(3, 400);
  issue(4, 30), end(4, 500);
  EXPECT_EQ(ready(), (Times{0, 10, 300, 400}));
}

// A worker completes the future before it is free, and that record was lost.
TEST_F(ReadyTimesTest, AWaitDoesNotShowThatAWorkerOfGloosIsFree) {
  call_->set_async(true);
  EXPECT_EQ(readyBehindWaits(), -1);
}

TEST_F(ReadyTimesTest, AWaitWithinTheCallShowsThatAWorkerIsFree) {
  EXPECT_EQ(readyBehindWaits(), 1'000);
}

TEST_F(ReadyTimesTest, OnADeviceOnlyTheStartGivesTheReadyTime) {
  call_->set_device(v1::DEVICE_TYPE_CUDA);
  issue(1, 0), end(1, 500);
  issue(2, 600);
  stream_.add(DoneRow{.op = 2, .end_ns = at(900), .engine_ns_plus_1 = 201});
  EXPECT_EQ(ready(), (Times{-1, 700}));
}

// It may run them concurrently, or serialize all operations of the process.
TEST_F(ReadyTimesTest, AnUnknownEngineHasNoKnownOrder) {
  group_->set_backend("ucc");
  issue(1, 0), end(1, 500);
  issue(2, 100), end(2, 900);
  issue(3, 950), end(3, 990);
  EXPECT_EQ(ready(), (Times{0, -1, 950}));
}

TEST_F(ReadyTimesTest, AForeignBackendNamedGlooIsAnUnknownEngine) {
  group_->set_backend("gloo");
  group_->set_backend_class("acme::Backend");
  issue(1, 0), end(1, 500);
  issue(2, 100), end(2, 900);
  issue(3, 200), end(3, 990, v1::END_SOURCE_HOST_CALL);
  EXPECT_EQ(ready(true), (Times{0, 100, 200}));
}

TEST_F(ReadyTimesTest, OnAnUnknownEngineAMissingEndMayBlockLaterOperations) {
  group_->set_backend("ucc");
  stream_.addGroup("tp", 0, 2).set_backend("ucc");
  stream_.addCall(v1::OPERATION_ALL_REDUCE, 2, 64, 64);
  issue(1, 0);  // no recorded end
  issue(2, 100, 2), end(2, 200);
  issue(3, 300), end(3, 400);
  EXPECT_EQ(ready(), (Times{0, -1, -1}));
}

TEST_F(ReadyTimesTest, SendsDoNotQueue) {
  stream_.addCall(v1::OPERATION_SEND, 1, 64, 0).set_peer_plus_1(2);
  group_->set_backend("fake");
  issue(1, 0), end(1, 500);
  issue(2, 100, 2);
  EXPECT_EQ(ready(), (Times{0, 100}));
}

}  // namespace
}  // namespace traced
