// Tests that calls that may block run on other threads.

#include "cli/serve/background.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/message_log.h"
#include "cli/serve/textfile.h"
#include "cli/serve/verdict_commands.h"
#include "support/temp_dir.h"

namespace traced {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 60s;

// Blocks every waiter until it is destroyed.
class Gate {
 public:
  ~Gate() { promise_.set_value(); }
  std::shared_future<void> opened() const { return opened_; }

 private:
  std::promise<void> promise_;
  const std::shared_future<void> opened_ = promise_.get_future().share();
};

TEST(BackgroundTest, DoesNotWaitForBlockingCalls) {
  Background background(1);
  {
    const Gate gate;
    ASSERT_TRUE(background.post([opened = gate.opened()] { opened.wait(); }));
    EXPECT_FALSE(background.finish(1ms));
    EXPECT_FALSE(background.ask([] { return 1; }, kLong));
  }
  EXPECT_TRUE(background.finish(kLong));
  EXPECT_EQ(background.ask([] { return 1; }, kLong), 1);
}

TEST(BackgroundTest, NoMoreFunctionsThanWereAllowedArePending) {
  const Gate gate;
  Background background(3);
  int kept = 0;
  for (int i = 0; i < 100; ++i) {
    kept += background.post([opened = gate.opened()] { opened.wait(); });
  }
  // One of them may be running already.
  EXPECT_GE(kept, 3);
  EXPECT_LE(kept, 4);
}

TEST(TextfileTest, TheNewestTextIsWrittenAndAProblemReportedOnce) {
  auto written = std::make_shared<std::vector<std::string>>();
  std::promise<void> started;
  auto gate = std::make_unique<Gate>();
  Textfile file([&started, written, opened = gate->opened()](const auto& text) {
    if (written->empty()) started.set_value();
    opened.wait();
    written->push_back(text);
    return std::string("full");
  });
  file.put("1");
  started.get_future().wait();
  for (const char* text : {"2", "3", "4"}) file.put(text);
  EXPECT_TRUE(file.takeMessages().empty());
  gate.reset();
  file.finish(kLong);
  EXPECT_EQ(*written, (std::vector<std::string>{"1", "4"}));
  EXPECT_EQ(file.takeMessages(), std::vector<std::string>{"full"});
}

// Redirects standard error into a pipe for its lifetime.
class PipedStderr {
 public:
  PipedStderr() : before_(dup(STDERR_FILENO)) {
    if (pipe(ends_) != 0) std::abort();
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }
  ~PipedStderr() { restore(); }

  void restore() {
    if (before_ < 0) return;
    dup2(before_, STDERR_FILENO);
    close(before_);
    before_ = -1;
  }
  std::string read() {
    std::string text(1 << 16, '\0');
    const ssize_t bytes = ::read(ends_[0], text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    return text;
  }
  void closeReader() { close(ends_[0]); }

 private:
  int before_;
  int ends_[2];
};

TEST(MessageLogTest, LinesThatStderrDoesNotTakeAreCounted) {
  PipedStderr stderr_pipe;
  MessageLog log;
  constexpr int kLines = 40000;
  for (int i = 0; i < kLines; ++i) log.write(std::string(99, 'x'));
  const std::uint64_t dropped = log.dropped();
  EXPECT_GT(dropped, 0);
  std::string text;
  while (std::count(text.begin(), text.end(), '\n') <
         kLines - static_cast<std::int64_t>(dropped)) {
    text += stderr_pipe.read();
  }
  log.finish(kLong);
  log.write("the next");
  log.finish(kLong);
  text += stderr_pipe.read();
  EXPECT_NE(text.find("messages dropped"), std::string::npos);
}

TEST(MessageLogTest, AReaderThatHasEndedEndsNothing) {
  PipedStderr stderr_pipe;
  stderr_pipe.closeReader();
  MessageLog log;
  log.write("nobody reads this");
  log.finish(kLong);
  EXPECT_EQ(log.dropped(), 1);
}

TEST(VerdictCommandsTest, FewRunConcurrentlyAndNoneIsLost) {
  const testing::TempDir dir;
  PipedStderr stderr_pipe;
  MessageLog log;
  VerdictCommands commands("cd " + dir.path() +
                               "; cat >> begun; while [ ! -e go ]; do sleep "
                               "0.01; done; echo >> ended",
                           log);
  const auto lines = [&](const char* name) {
    std::ifstream file(dir.path() + "/" + name);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const auto until = [&](const char* name, long count) {
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (lines(name) < count && std::chrono::steady_clock::now() < end) {
      commands.poll();
    }
    EXPECT_EQ(lines(name), count);
  };
  constexpr long kVerdicts = 20;
  for (long i = 0; i < kVerdicts; ++i) commands.add("{}\n");
  until("begun", VerdictCommands::kMaxRunning);
  for (int i = 0; i < 100; ++i) commands.poll();
  EXPECT_EQ(lines("begun"), VerdictCommands::kMaxRunning);
  std::ofstream(dir.path() + "/go") << "";
  until("ended", kVerdicts);
  EXPECT_EQ(lines("begun"), kVerdicts);
  log.finish(kLong);
  EXPECT_EQ(stderr_pipe.read(),
            "tracectl: --on-verdict: 12 verdicts pending: 8 commands run "
            "already\n");
}

}  // namespace
}  // namespace traced
