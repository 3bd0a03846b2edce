#include "ring_io/sinks/file_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

class FileSinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.directory = dir_.path() + "/deep/er";
    options_.job = "run";
    process_.rank = 3;
    process_.attempt = 1;
    host_.host = "node/1";
    host_.pid = 77;
  }

  std::unique_ptr<FileSink> create() {
    auto sink = FileSink::create(options_, process_, host_);
    EXPECT_TRUE(sink) << (sink ? "" : sink.error().message);
    return sink ? std::move(*sink) : nullptr;
  }

  std::string jobDir() const { return options_.directory + "/run"; }
  std::size_t fileCount() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(jobDir()))
      ++count;
    return count;
  }

  testing::TempDir dir_;
  Options options_;
  ProcessIdentity process_;
  HostInfo host_;
};

TEST_F(FileSinkTest, NamesTheFileAfterRankAttemptHostAndPid) {
  const auto sink = create();
  EXPECT_EQ(sink->location(), jobDir() + "/rank-3.attempt-1.node_1.77.traced");
  EXPECT_TRUE(fs::exists(sink->location()));
}

TEST_F(FileSinkTest, KeepsItsPathAfterTheProgramChangesDirectory) {
  const pid_t child = fork();
  if (child == 0) {
    fs::current_path(dir_.path());
    options_.directory = "here";
    options_.max_bytes = 20;
    const auto sink = create();
    fs::current_path("/");
    const bool taken = sink->append("123456789", 1) &&
                       sink->append("123456789", 1) &&
                       sink->append("123456789", 1);
    const bool in_place =
        sink->location().starts_with(dir_.path() + "/here/run/");
    _exit(taken && in_place ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  options_.directory = dir_.path() + "/here";
  EXPECT_EQ(fileCount(), 2u) << "the first part is deleted";
}

TEST_F(FileSinkTest, IsNoStderrOfAProcessThatHasNone) {
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) close(fd);
    const auto sink = create();
    _exit(write(STDERR_FILENO, "words", 5) < 0 && sink->append("a", 1) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(FileSinkTest, ContinuesAfterItsDescriptorWasClosed) {
  const auto sink = create();
  ASSERT_TRUE(sink->append("first", 1));
  int closed = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    std::error_code error;
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (fs::read_symlink(link, error) != sink->location()) continue;
    close(fd);
    ++closed;
  }
  ASSERT_EQ(closed, 1);
  EXPECT_TRUE(sink->append("second", 1));
  EXPECT_EQ(testing::readFile(sink->location()), "firstsecond");
}

TEST_F(FileSinkTest, NeverOverwrites) {
  const auto first = create();
  ASSERT_TRUE(first->append("first", 1));
  const auto second = create();
  EXPECT_NE(second->location(), first->location());
  ASSERT_TRUE(second->append("second", 1));
  EXPECT_EQ(testing::readFile(first->location()), "first");
  EXPECT_EQ(testing::readFile(second->location()), "second");
}

TEST_F(FileSinkTest, ReportsTheDirectoryThatItCannotCreate) {
  options_.directory = "/proc/nowhere";
  const auto sink = FileSink::create(options_, process_, host_);
  ASSERT_FALSE(sink);
  EXPECT_NE(sink.error().message.find("/proc/nowhere/run"), std::string::npos);
}

TEST_F(FileSinkTest, KeepsTheNewestHalfAtLeastAndTheBoundAlways) {
  options_.max_bytes = 1000;
  const auto sink = create();
  const std::string chunk(100, 'c');
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(sink->append(chunk, 7));
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(jobDir())) {
      bytes += entry.file_size();
    }
    EXPECT_LE(bytes, options_.max_bytes);
    EXPECT_EQ(bytes / 100 * 7 + sink->recordsDeleted(), i * 7)
        << "what is gone is counted";
  }
  EXPECT_EQ(fileCount(), 2u);
}

TEST_F(FileSinkTest, RefusesAChunkLargerThanAPart) {
  options_.max_bytes = 1000;
  const auto sink = create();
  EXPECT_EQ(sink->largestChunk(), 500u);
  EXPECT_TRUE(sink->append(std::string(500, 'c'), 1));
  EXPECT_FALSE(sink->append(std::string(501, 'c'), 1));
  EXPECT_EQ(sink->partsBegun(), 0u) << "nothing is deleted for what is refused";
  EXPECT_TRUE(sink->append(std::string(400, 'c'), 1));
  EXPECT_EQ(sink->partsBegun(), 1u);
}

// The path may refer to another kind of file after it was checked.
TEST_F(FileSinkTest, ResumesOnlyInARegularFile) {
  fs::create_directories(jobDir());
  const std::string victim = jobDir() + "/victim";
  std::ofstream(victim) << "keep this";
  TracePart part;
  part.path = jobDir() + "/rank-0.traced";
  fs::create_symlink(victim, part.path);
  EXPECT_FALSE(FileSink::resume({part}, 0, 0)) << "a link";
  EXPECT_EQ(testing::readFile(victim), "keep this");
  fs::remove(part.path);
  ASSERT_EQ(mkfifo(part.path.c_str(), 0600), 0);
  const int reader = open(part.path.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_FALSE(FileSink::resume({part}, 0, 0)) << "a pipe";
  close(reader);
  EXPECT_FALSE(FileSink::resume({part}, 0, 0)) << "a pipe that nobody reads";
}

TEST_F(FileSinkTest, RefusesAChunkBeyondTheFileSizeLimitWithoutASignal) {
  const auto sink = create();
  ASSERT_TRUE(sink->append("0123456789", 1));
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 15;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_FALSE(sink->append("0123456789", 1));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(sink->append("abc", 1));
  EXPECT_EQ(testing::readFile(sink->location()), "0123456789abc");
}

}  // namespace
}  // namespace traced
