// Tests paths that respond. tests/integration/test_lost_storage.py covers a
// disk that hangs.

#include "base/answering_path.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace traced {
namespace {

TEST(AnsweringPath, ErrorsAreAnswers) {
  EXPECT_TRUE(answersInTime(""));
  EXPECT_TRUE(answersInTime("/nowhere/at/all.traced"));
  EXPECT_TRUE(answersInTime("/dev/null"));
}

TEST(AnsweringPath, FilesAndDirectoriesAnswerAndLeaveNoChild) {
  const std::filesystem::path folder = testing::TempDir() + "answering";
  std::filesystem::create_directories(folder / "below");
  std::ofstream(folder / "below" / "one.traced") << "text";
  EXPECT_TRUE(answersInTime(folder));
  EXPECT_TRUE(answersInTime(folder));
  EXPECT_TRUE(answersInTime(folder / "below" / "one.traced"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace traced
