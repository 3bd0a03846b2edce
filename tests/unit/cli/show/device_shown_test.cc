// Tests device times and graphs in the outputs that show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kMs = 1'000'000;

// One operation that ran, then two that were only captured.
class DeviceShownTest : public ::testing::Test {
 protected:
  void write(std::uint32_t rank, bool marks) {
    StreamBuilder stream(rank, 2);
    stream.addGroup("dp", 0, 2).set_backend("nccl");
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024).set_graph_plus_1(8);
    std::uint64_t position = 1;
    const std::int64_t at = StreamBuilder::kIssueNs;
    stream.addOperation(position++, at, 1, 1, kMs);
    for (std::uint64_t seq = 2; seq < 4; ++seq) {
      const std::int64_t issue_ns = at + static_cast<std::int64_t>(seq) * kMs;
      stream.add(IssueRow{position, issue_ns, 2, 0, seq});
      stream.add(ReturnRow{position++, issue_ns + 1000});
    }
    const auto mark = [&](std::uint32_t kind, std::uint64_t value,
                          const char* text) {
      stream.add(MarkRow{position++, at + 9 * kMs, kind, value,
                         *text ? stream.addText(text) : 0});
    };
    if (marks) {
      mark(v1::MARK_KIND_DEVICE_CLOCK, 12'300, "");
      mark(v1::MARK_KIND_DEVICE_UNTIMED, 3, "3 no free event");
      mark(v1::MARK_KIND_DEVICE_CLOCK, 4'000, "");
      mark(v1::MARK_KIND_DEVICE_UNTIMED, 30 + rank, "31 group\naborted");
    }
    writeFile(dir_.path() + "/rank-" + std::to_string(rank) + ".traced",
              stream.takeChunk(true));
  }
  std::string out(const std::string& arguments) const {
    const Ran ran = runTracectl(arguments + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    return ran.out;
  }
  nlohmann::json json(const std::string& command) const {
    return nlohmann::json::parse(out(command + " --json"));
  }
  TempDir dir_;
};

TEST_F(DeviceShownTest, ReportExplainsHowToEnableMissingDeviceTimes) {
  const auto writeOne = [this](const char* backend, bool marks) {
    StreamBuilder stream(0, 2);
    stream.addGroup("dp", 0, 2).set_backend(backend);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024);
    stream.add(IssueRow{1, StreamBuilder::kIssueNs, 1, 0, 1});
    stream.add(ReturnRow{1, StreamBuilder::kIssueNs + 1000});
    if (marks) {
      stream.add(MarkRow{2, StreamBuilder::kIssueNs + kMs,
                         v1::MARK_KIND_DEVICE_CLOCK, 12'300, 0});
    }
    writeFile(dir_.path() + "/rank-0.traced", stream.takeChunk(true));
  };
  const auto hint = HasSubstr("TRACED_DEVICE_TIME=full records them.");
  writeOne("nccl", false);
  EXPECT_THAT(out("report"), hint);
  writeOne("nccl", true);
  EXPECT_THAT(out("report"), Not(hint));
  writeOne("gloo", false);
  EXPECT_THAT(out("report"), Not(hint));
}

TEST_F(DeviceShownTest, InfoAndReportShowTheWorstBoundAndMissingTimes) {
  write(0, true);
  write(1, true);
  for (const char* command : {"info", "report"}) {
    EXPECT_THAT(
        out(command),
        AllOf(HasSubstr("Device times: off by at most 12.3 us on the host's "
                        "clock.\n"),
              HasSubstr("Operations and waits without device times: 61, on "
                        "ranks 0-1; on rank 1: 31 group?aborted.\n")));
    const auto times = json(command).at("device_times");
    EXPECT_EQ(times.at("error_ns"), 12'300);
    EXPECT_EQ(times.at("untimed"), 61);
    EXPECT_EQ(times.at("ranks"), "0-1");
    EXPECT_EQ(times.at("why"), "31 group\naborted");
  }
}

TEST_F(DeviceShownTest, OmitsDeviceTimesThatDoNotExist) {
  write(0, false);
  write(1, false);
  for (const char* command : {"info", "report"}) {
    EXPECT_THAT(out(command), Not(HasSubstr("evice times")));
    EXPECT_FALSE(json(command).at("device_times").contains("error_ns"));
  }
}

TEST_F(DeviceShownTest, ShowsMarksBetweenCalls) {
  write(0, true);
  write(1, false);
  const std::string text = out("export --format text");
  EXPECT_THAT(text, HasSubstr("[DEVICE_CLOCK] rank 0 "));
  EXPECT_THAT(text, HasSubstr("device times are off by at most 12.3 us on the "
                              "host's clock\n"));
  EXPECT_THAT(text, HasSubstr("operations and waits without device times so "
                              "far: 3: 3 no free event\n"));
  const auto marks = json("show").at("marks");
  ASSERT_EQ(marks.size(), 4u);
  EXPECT_EQ(marks[0].at("kind"), "device_clock");
  EXPECT_EQ(marks[0].at("error_ns"), 12'300);
  EXPECT_EQ(marks[1].at("untimed"), 3);
  EXPECT_FALSE(marks[1].contains("group"));
}

TEST_F(DeviceShownTest, CapturedCallsAreCountedAsSuchAndMissNoEnd) {
  write(0, false);
  write(1, false);
  EXPECT_THAT(out("report --wide"),
              AllOf(HasSubstr(" 4 calls were captured in a CUDA graph: counted "
                              "once, replays are not recorded."),
                    Not(HasSubstr("no recorded end"))));
  const auto total = json("report").at("total");
  EXPECT_EQ(total.at("count"), 6);
  EXPECT_EQ(total.at("captured"), 4);
  EXPECT_EQ(total.at("ends_unknown"), 0);
}

TEST_F(DeviceShownTest, ACapturedCallThatDoesNotEndIsNoHang) {
  write(0, false);
  write(1, false);
  const auto found = json("diagnose");
  EXPECT_TRUE(found.at("healthy")) << found.dump(1);
  EXPECT_EQ(found.at("under_way"), 0) << found.dump(1);
}

}  // namespace
}  // namespace traced::testing
