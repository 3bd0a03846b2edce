// Tests lines for a reader that is quick, stuck or gone.

#include "recorder/print/line_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace traced {
namespace {

constexpr std::chrono::seconds kLong{60};

class LineOutputTest : public ::testing::Test {
 protected:
  LineOutputTest() {
    int ends[2];
    if (pipe(ends) == 0) read_end_ = ends[0], write_end_ = ends[1];
  }
  ~LineOutputTest() override {
    closeReader();
    close(write_end_);
  }

  void closeReader() {
    if (read_end_ >= 0) close(read_end_);
    read_end_ = -1;
  }

  // Blocks until nothing more can be written into the pipe.
  void awaitStuckWriter() const {
    const int capacity = fcntl(write_end_, F_GETPIPE_SZ);
    const auto deadline = std::chrono::steady_clock::now() + kLong;
    int unread = 0;
    while (unread + int{LineOutput::kMaxLineBytes} <= capacity / 4 &&
           std::chrono::steady_clock::now() < deadline) {
      ioctl(read_end_, FIONREAD, &unread);
      std::this_thread::yield();
    }
  }

  // Returns all lines until the last writer has closed the pipe.
  std::string readAll() {
    close(write_end_);
    write_end_ = -1;
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(read_end_, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

  int read_end_ = -1;
  int write_end_ = -1;
};

TEST_F(LineOutputTest, WritesWholeLinesInOrder) {
  LineOutput output(write_end_);
  output.put("one");
  output.put("two");
  output.finish(kLong);
  EXPECT_EQ(output.dropped(), 0u);
  EXPECT_EQ(readAll(), "one\ntwo\n");
}

TEST_F(LineOutputTest, ALineIsWrittenWhileTheJobRuns) {
  LineOutput output(write_end_);
  output.put("one");
  pollfd reader{read_end_, POLLIN, 0};
  EXPECT_EQ(poll(&reader, 1, std::chrono::milliseconds(kLong).count()), 1);
}

TEST_F(LineOutputTest, ALineThatIsTooLongIsDropped) {
  LineOutput output(write_end_);
  output.put(std::string(LineOutput::kMaxLineBytes, 'x'));
  output.put(std::string(LineOutput::kMaxLineBytes - 1, 'y'));
  output.finish(kLong);
  EXPECT_EQ(output.dropped(), 1u);
  EXPECT_EQ(readAll().size(), LineOutput::kMaxLineBytes);
}

TEST_F(LineOutputTest, DoesNotWaitForAStuckReaderAndCountsLostLines) {
  LineOutput output(write_end_);
  const std::string line(1023, 'x');
  constexpr std::uint64_t kLines = 2000;  // the pipe and the buffer have 320
  for (std::uint64_t i = 0; i < kLines; ++i) output.put(line);
  EXPECT_GT(output.dropped(), kLines / 2);
  awaitStuckWriter();
  output.finish(std::chrono::milliseconds(0));
  EXPECT_LT(output.dropped(), kLines);
  EXPECT_EQ(readAll().size(), (kLines - output.dropped()) * (line.size() + 1));
}

TEST_F(LineOutputTest, LeavesMostOfAnUnreadPipeToTheJob) {
  LineOutput output(write_end_);
  // Only one line of this size fits into a page.
  const std::string line(2100, 'x');
  while (output.dropped() == 0) output.put(line);
  awaitStuckWriter();
  fcntl(write_end_, F_SETFL, O_NONBLOCK);
  const std::string own(4096, 'y');
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(write(write_end_, own.data(), own.size()), 4096) << i;
  }
  output.finish(std::chrono::milliseconds(0));
}

TEST_F(LineOutputTest, AClosedReaderRaisesNoSignal) {
  signal(SIGPIPE, SIG_DFL);
  closeReader();
  LineOutput output(write_end_);
  output.put("one");
  output.put("two");
  output.finish(kLong);
  EXPECT_EQ(output.dropped(), 2u);
}

TEST_F(LineOutputTest, ANonblockingDescriptorIsPolledByTheThread) {
  fcntl(write_end_, F_SETFL, O_NONBLOCK);
  LineOutput output(write_end_);
  const std::string line(1023, 'x');
  constexpr std::size_t kLines = 128;  // twice what the pipe has room for
  for (std::size_t i = 0; i < kLines; ++i) output.put(line);
  std::thread finisher([&] { output.finish(kLong); });
  std::string text(1 << 20, '\0');
  std::size_t bytes = 0;
  while (bytes < kLines * (line.size() + 1)) {
    const ssize_t n = read(read_end_, text.data(), text.size());
    ASSERT_GT(n, 0);
    bytes += static_cast<std::size_t>(n);
  }
  finisher.join();
  EXPECT_EQ(output.dropped(), 0u);
}

}  // namespace
}  // namespace traced
