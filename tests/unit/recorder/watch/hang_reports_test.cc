// Tests the report of an operation that takes too long, and its recipients.

#include "recorder/watch/hang_reports.h"

#include <gtest/gtest.h>

#include <future>

namespace traced {
namespace {

HangReport reportOf(std::uint64_t seq) {
  HangReport report;
  report.operation = "all_reduce";
  report.group_name = "0";
  report.group_desc = "dp";
  report.seq = seq;
  report.bytes = 1024;
  report.took_ns = 12'380'000'000;
  return report;
}

TEST(HangReportsTest, ASentenceNamesTheOperationAndTheDuration) {
  HangReport report = reportOf(7);
  const std::string what = "rank 3: all_reduce #7 on group \"dp\" (1024 bytes)";
  report.state = HangReport::State::kUnfinished;
  EXPECT_EQ(sentenceOf(report, 3), what + " has not ended for 12.3 s");
  report.state = HangReport::State::kLate;
  EXPECT_EQ(sentenceOf(report, 3), what + " took 12.3 s");
  report.state = HangReport::State::kUndecided;
  EXPECT_EQ(sentenceOf(report, 3).find(what + " was issued 12.3 s ago"), 0u);
}

TEST(HangReportsTest, ASentenceNamesThePeerOfAMessage) {
  HangReport report = reportOf(0);
  report.state = HangReport::State::kLate;
  report.peer = 2;
  report.operation = "send";
  EXPECT_EQ(sentenceOf(report, 0),
            "rank 0: send to rank 2 on group \"dp\" (1024 bytes) took 12.3 s");
  report.operation = "recv";
  EXPECT_EQ(sentenceOf(report, 0).find("rank 0: recv from rank 2 on"), 0u);
}

TEST(HangReportsTest, CloseReleasesTheWaiterAndKeepsLaterReports) {
  HangReports reports;
  auto taken = std::async(std::launch::async, [&] { return reports.take(); });
  reports.close();
  EXPECT_FALSE(taken.get());
  reports.put(reportOf(1));
  EXPECT_FALSE(reports.take());
  reports.open();
  EXPECT_EQ(reports.take()->seq, 1u);
}

}  // namespace
}  // namespace traced
