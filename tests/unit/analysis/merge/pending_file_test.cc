// Tests files that appear only once they are complete.

#include "analysis/merge/pending_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PendingFileTest : public ::testing::Test {
 protected:
  std::string output() const { return folder() + "/out"; }
  std::string folder() const { return dir_.path() + "/folder"; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  void SetUp() override { fs::create_directory(folder()); }

  TempDir dir_;
};

TEST_F(PendingFileTest, AppearsWithAllThatWasWritten) {
  PendingFile file(output(), Existing::kKept);
  file.stream() << "a\n" << 12;
  EXPECT_FALSE(fs::exists(output()));
  ASSERT_TRUE(file.commit()) << file.problem();
  EXPECT_EQ(readFile(output()), "a\n12");
  EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(PendingFileTest, RemovesAnIncompleteFile) {
  { PendingFile(output(), Existing::kKept).stream() << "a"; }
  EXPECT_THAT(names(), IsEmpty());
}

// Other users with write access to the folder cannot redirect the write.
TEST_F(PendingFileTest, DoesNotFollowAPlantedLink) {
  const std::string victim = writeFile(dir_.path() + "/victim", "keep this");
  fs::create_symlink(victim,
                     output() + "." + std::to_string(getpid()) + ".tmp");
  PendingFile file(output(), Existing::kKept);
  file.stream() << "new";
  ASSERT_TRUE(file.commit()) << file.problem();
  EXPECT_EQ(readFile(victim), "keep this");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(output())));
  EXPECT_EQ(readFile(output()), "new");
}

TEST_F(PendingFileTest, ReplacesNoLink) {
  const std::string target = writeFile(dir_.path() + "/target", "keep this");
  fs::create_symlink(target, output());
  PendingFile file(output(), Existing::kReplaced);
  EXPECT_FALSE(file.ok());
  EXPECT_THAT(file.problem(), HasSubstr("out: is a link"));
  EXPECT_FALSE(file.commit());
  EXPECT_TRUE(fs::is_symlink(output()));
  EXPECT_EQ(readFile(target), "keep this");
}

TEST_F(PendingFileTest, KeepsWhatAppearedMeanwhile) {
  PendingFile file(output(), Existing::kKept);
  file.stream() << "new";
  writeFile(output(), "of somebody else");
  EXPECT_FALSE(file.commit());
  EXPECT_THAT(file.problem(), HasSubstr("out: exists"));
  EXPECT_EQ(readFile(output()), "of somebody else");
}

TEST_F(PendingFileTest, ReplacesAFileWhereItMay) {
  writeFile(output(), "old");
  PendingFile file(output(), Existing::kReplaced);
  file.stream() << "new";
  ASSERT_TRUE(file.commit()) << file.problem();
  EXPECT_EQ(readFile(output()), "new");
}

TEST_F(PendingFileTest, RespectsTheUmask) {
  for (const mode_t mask : {022u, 077u}) {
    const mode_t before = umask(mask);
    PendingFile file(output(), Existing::kReplaced);
    umask(before);
    ASSERT_TRUE(file.commit());
    struct stat status;
    ASSERT_EQ(stat(output().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0666u & ~mask);
  }
}

TEST_F(PendingFileTest, ASignalRemovesTheFile) {
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      PendingFile file(output(), Existing::kKept);
      raise(signal);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_THAT(names(), IsEmpty()) << signal;
  }
}

TEST_F(PendingFileTest, ASignalThatIsIgnoredStaysSo) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    PendingFile file(output(), Existing::kKept);
    raise(SIGHUP);
    _exit(file.commit() ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_THAT(names(), ElementsAre("out"));
}

}  // namespace
}  // namespace traced::testing
