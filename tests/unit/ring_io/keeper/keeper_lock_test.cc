#include "ring_io/keeper/keeper_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "ring_io/keeper/start_keeper.h"
#include "ring_io/support/process_watch.h"
#include "support/temp_dir.h"

namespace traced {
namespace {

using Owner = KeeperLock::Owner;

class KeeperLockTest : public ::testing::Test {
 protected:
  const testing::TempDir dir_;
  const std::string path_ = KeeperLock::pathFor(dir_.path(), "/traces/job");
};

TEST_F(KeeperLockTest, IsOneForEachFolder) {
  EXPECT_EQ(path_, KeeperLock::pathFor(dir_.path(), "/traces/job"));
  EXPECT_NE(path_, KeeperLock::pathFor(dir_.path(), "/traces/job2"));
}

TEST(JobStartKeyTest, IsOneForEachStart) {
  v1::Header header;
  header.set_job("job");
  header.mutable_rendezvous()->set_launcher("/tmp/launch_1");
  const std::string key = jobStartKey("/traces/job/rank-0.traced", header);
  EXPECT_EQ(key, jobStartKey("/traces/job/rank-1.traced", header));
  EXPECT_NE(key, jobStartKey("/traces/job2/rank-0.traced", header));
  v1::Header other = header;
  other.mutable_rendezvous()->set_launcher("/tmp/launch_2");
  EXPECT_NE(key, jobStartKey("/traces/job/rank-0.traced", other));
  other = header;
  other.set_attempt(1);
  EXPECT_NE(key, jobStartKey("/traces/job/rank-0.traced", other));

  header.mutable_rendezvous()->set_start("a");
  other.mutable_rendezvous()->set_start("a");
  const std::string named = jobStartKey("/traces/job/rank-0.traced", header);
  EXPECT_EQ(named, jobStartKey("/traces/job/rank-0.traced", other));
  other.mutable_rendezvous()->set_start("b");
  EXPECT_NE(named, jobStartKey("/traces/job/rank-0.traced", other));
}

TEST_F(KeeperLockTest, OneProcessHoldsItAndOthersAreRefused) {
  const KeeperLock keeper(path_);
  ASSERT_EQ(keeper.owner(), Owner::kUs);
  const std::int64_t before = keeper.lastRequestNs();
  const KeeperLock other(path_);
  EXPECT_EQ(other.owner(), Owner::kOthers);
  EXPECT_NE(keeper.lastRequestNs(), before);
}

TEST_F(KeeperLockTest, IsPassedOnWithItsDescriptor) {
  int fd = -1;
  {
    const KeeperLock starter(path_);
    fd = dup(starter.fd());
  }
  EXPECT_EQ(KeeperLock(path_).owner(), Owner::kOthers);
  KeeperLock keeper(path_, fd);
  keeper.giveUp();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(keeper.ask(), Owner::kUs);
}

TEST_F(KeeperLockTest, OnlyTheHolderRemovesIt) {
  const KeeperLock keeper(path_);
  KeeperLock other(path_);
  other.giveUp();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(KeeperLockTest, LockOfADeadProcessCanBeTaken) {
  { const KeeperLock died(path_); }
  EXPECT_EQ(KeeperLock(path_).owner(), Owner::kUs);
}

TEST_F(KeeperLockTest, ALinkIsNotFollowed) {
  const std::string elsewhere = dir_.path() + "/elsewhere";
  ASSERT_EQ(symlink(elsewhere.c_str(), path_.c_str()), 0);
  EXPECT_EQ(KeeperLock(path_).owner(), Owner::kNobody);
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

TEST_F(KeeperLockTest, OnlyARegularFileIsALock) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(KeeperLock(path_).owner(), Owner::kNobody);
}

TEST_F(KeeperLockTest, AFileOfAnotherUserIsNoLock) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  { const KeeperLock made(path_); }
  ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(KeeperLock(path_).owner(), Owner::kNobody);
  EXPECT_EQ(errno, EPERM);
}

TEST_F(KeeperLockTest, TheKernelReportsTheHolder) {
  const KeeperLock lock(path_);
  struct stat status;
  ASSERT_EQ(fstat(lock.fd(), &status), 0);
  const auto owner = lockOwner(status.st_dev, status.st_ino);
  if (!owner) GTEST_SKIP() << "/proc/locks does not name this file system";
  EXPECT_EQ(*owner, getpid());
}

}  // namespace
}  // namespace traced
