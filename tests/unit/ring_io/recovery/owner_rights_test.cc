// Tests root that acts for the owner of a file.

#include "ring_io/recovery/owner_rights.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <vector>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

constexpr uid_t kNobody = 65534;
constexpr gid_t kGroupOfRoot = 4;

class OwnerRightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
    ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
    file_ = writeFile(dir_.path() + "/of-the-group", "");
    ASSERT_EQ(chown(file_.c_str(), 0, kGroupOfRoot), 0);
    ASSERT_EQ(chmod(file_.c_str(), 0660), 0);
  }

  // Runs the check in a process of its own, as root with an additional group.
  static bool holds(const std::function<bool()>& check) {
    const pid_t child = fork();
    if (child == 0) {
      const gid_t groups[] = {0, kGroupOfRoot};
      _exit(setgroups(2, groups) == 0 && check() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  bool canWrite() const {
    const int fd = open(file_.c_str(), O_WRONLY);
    if (fd >= 0) close(fd);
    return fd >= 0;
  }

  TempDir dir_;
  std::string file_;
};

TEST_F(OwnerRightsTest, DoesNotWriteWithTheRightsOfRootsGroup) {
  EXPECT_TRUE(holds([this] {
    const OwnerRights rights(kNobody, kNobody);
    return rights.held() && !canWrite();
  }));
}

TEST_F(OwnerRightsTest, AGroupThatTheOwnerIsNotInIsNotTaken) {
  EXPECT_TRUE(holds([this] {
    const OwnerRights rights(kNobody, kGroupOfRoot);
    return rights.held() && !canWrite();
  }));
}

TEST_F(OwnerRightsTest, OtherThreadsKeepTheirRights) {
  EXPECT_TRUE(holds([this] {
    std::promise<void> changed;
    std::future<bool> other = std::async(std::launch::async, [&] {
      changed.get_future().wait();
      return geteuid() == 0 && canWrite();
    });
    const OwnerRights rights(kNobody, kNobody);
    changed.set_value();
    return other.get() && !canWrite();
  }));
}

TEST_F(OwnerRightsTest, RootHasItsGroupsAgainAfterwards) {
  EXPECT_TRUE(holds([] {
    { const OwnerRights rights(kNobody, kNobody); }
    std::vector<gid_t> groups(8);
    groups.resize(static_cast<std::size_t>(getgroups(8, groups.data())));
    std::sort(groups.begin(), groups.end());
    return geteuid() == 0 && getegid() == 0 &&
           groups == std::vector<gid_t>{0, kGroupOfRoot};
  }));
}

}  // namespace
}  // namespace traced::testing
