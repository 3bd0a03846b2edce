// Tests control requests: which are parsed, and which are obeyed.

#include "ring_io/control/control_request.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/temp_dir.h"

namespace traced {
namespace {

ControlRequest someRequest() {
  ControlRequest request;
  request.id = 12;
  request.ranks = {{0, 3}, {8, 8}};
  request.settings = {{"watch", "60s"}, {"enabled", "0"}};
  return request;
}

TEST(ControlRequestTest, ParsesWhatItWrote) {
  const auto read = parseRequest(textOf(someRequest()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, 12u);
  EXPECT_EQ(read->ranks, someRequest().ranks);
  EXPECT_EQ(read->settings, someRequest().settings);
}

TEST(ControlRequestTest, AppliesToTheNamedRanksOrAll) {
  const ControlRequest some = someRequest();
  EXPECT_TRUE(some.concerns(0) && some.concerns(3) && some.concerns(8));
  EXPECT_FALSE(some.concerns(4) || some.concerns(7) || some.concerns(9));
  EXPECT_TRUE(ControlRequest{}.concerns(7));
}

TEST(ControlRequestTest, RejectsInvalidRequests) {
  const std::string whole = textOf(someRequest());
  for (const char* text :
       {"", "\n", "touched", "traced request 2\nid 1\n", "traced request 1\n",
        "traced request 1\nid 0\n", "traced request 1\nid -1\n",
        "traced request 1\nid 99999999999999999999\n",
        "traced request 1\nid 1\nranks \n",
        "traced request 1\nid 1\nranks 1-\n",
        "traced request 1\nid 1\nranks a\n",
        "traced request 1\nid 1\nrun a command\n"}) {
    EXPECT_FALSE(parseRequest(text)) << text;
  }
  EXPECT_FALSE(parseRequest(whole + std::string(1 << 16, ' ')));
}

class RequestFileTest : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_) << text; }

  testing::TempDir dir_;
  const std::string path_ = dir_.path() + "/flush";
};

TEST_F(RequestFileTest, ReadsAFileOfTheSameUser) {
  EXPECT_FALSE(readRequest(path_));
  write(textOf(someRequest()));
  ASSERT_TRUE(readRequest(path_));
  EXPECT_EQ(readRequest(path_)->id, 12u);
}

TEST_F(RequestFileTest, IgnoresTheFileOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make such a file";
  write(textOf(someRequest()));
  ASSERT_EQ(chown(path_.c_str(), 4242, 4242), 0);
  // As a process of a third user.
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_EQ(seteuid(4343), 0);
  const auto read = readRequest(path_);
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_FALSE(read);
}

TEST_F(RequestFileTest, DoesNotWaitForAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(readRequest(path_));
}

TEST(SettingChangesTest, AreReportedAsGiven) {
  const auto changes =
      parseChanges({{"stacks", "full"}, {"enabled", "off"}, {"watch", "1"}});
  ASSERT_TRUE(changes);
  EXPECT_EQ(textOf(*changes), "enabled=0,watch=480s,stacks=full");
  EXPECT_EQ(textOf(SettingChanges{}), "");
}

TEST(SettingChangesTest, AnInvalidOneGivesAMessage) {
  const auto errorOf = [](const char* name, const char* value) {
    return parseChanges({{"enabled", "1"}, {name, value}}).error().message;
  };
  EXPECT_EQ(errorOf("watch", "soon"),
            "watch=soon is not valid: expected 0, 1 or a time such as 480s or "
            "0.5s");
  EXPECT_EQ(errorOf("stacks", ""), "stacks= is not valid: expected a value");
  EXPECT_EQ(errorOf("dir", "/tmp"),
            "dir cannot be changed while a job runs, only enabled, watch, "
            "stacks");
}

TEST(ControlAnswerTest, ParsesWhatItWrote) {
  for (const ControlAnswer& answer :
       {ControlAnswer{"enabled=0", ""}, ControlAnswer{"", "no stacks"},
        ControlAnswer{"enabled=0,watch=1s", "no stacks"}, ControlAnswer{}}) {
    const ControlAnswer read = ControlAnswer::fromText(answer.text());
    EXPECT_EQ(read.in_force, answer.in_force);
    EXPECT_EQ(read.refused, answer.refused);
  }
}

}  // namespace
}  // namespace traced
