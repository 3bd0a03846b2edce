// Tests shared memory that is full, small, or shared by many ranks.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "support/temp_dir.h"

namespace traced {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kSlotsPerMiB = kMiB / kSlotBytes;
constexpr int kCannotMount = 77;

class SegmentSpaceTest : public ::testing::Test {
 protected:
  // Runs `body` with a directory on a private tmpfs of `mib` MiB.
  void onTmpfs(int mib, const std::function<void(const std::string&)>& body) {
    const testing::TempDir dir;
    const pid_t child = fork();
    if (child == 0) {
      const std::string size = "size=" + std::to_string(mib) + "m";
      if (unshare(CLONE_NEWNS) != 0 ||
          mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("tmpfs", dir.path().c_str(), "tmpfs", 0, size.c_str()) != 0) {
        _exit(kCannotMount);
      }
      body(dir.path());
      _exit(HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kCannotMount) {
      GTEST_SKIP() << "no tmpfs can be mounted here (needs root)";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  static std::uint64_t freeBytes(const std::string& directory) {
    struct statvfs space;
    EXPECT_EQ(statvfs(directory.c_str(), &space), 0);
    return std::uint64_t{space.f_bavail} * space.f_frsize;
  }

  static void fill(const std::string& directory, std::uint64_t bytes) {
    const int fd =
        open((directory + "/other").c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_EQ(posix_fallocate(fd, 0, static_cast<off_t>(bytes)), 0);
    close(fd);
  }

  // Stores to every byte: a hole in a full tmpfs would raise SIGBUS.
  static void useAllOf(const Segment& segment) {
    Ring ring(segment.ringMemory(), segment.slots());
    for (std::uint64_t i = 0; i < segment.slots(); ++i) {
      ASSERT_EQ(ring.push(RecordKind::kRelease, ReleaseRecord{1, 2}), i);
    }
  }
};

TEST_F(SegmentSpaceTest, EightRanksShare64MiBAndLeaveRoomForOthers) {
  onTmpfs(64, [](const std::string& directory) {
    std::vector<std::unique_ptr<Segment>> segments;
    for (std::uint64_t rank = 0; rank < 8; ++rank) {
      segments.push_back(
          Segment::create(directory, rank + 1, 16 * kSlotsPerMiB, ""));
      const Segment& segment = *segments.back();
      EXPECT_FALSE(segment.path().empty()) << "each survives its process";
      EXPECT_GE(segment.slots(), kSlotsPerMiB);
      EXPECT_THAT(segment.note(), HasSubstr(directory + " has little room"));
      EXPECT_THAT(segment.note(), HasSubstr("instead of 16384"));
      useAllOf(segment);
    }
    EXPECT_GE(freeBytes(directory), 16 * kMiB);
  });
}

TEST_F(SegmentSpaceTest, EightRingsOfTheUsualSizeFitInto64MiB) {
  onTmpfs(64, [](const std::string& directory) {
    std::vector<std::unique_ptr<Segment>> segments;
    for (std::uint64_t rank = 0; rank < 8; ++rank) {
      segments.push_back(
          Segment::create(directory, rank + 1, 4 * kSlotsPerMiB, ""));
      EXPECT_EQ(segments.back()->note(), "");
    }
  });
}

TEST_F(SegmentSpaceTest, UsesPrivateMemoryOnAFullTmpfs) {
  onTmpfs(8, [](const std::string& directory) {
    fill(directory, freeBytes(directory));
    const auto segment = Segment::create(directory, 1, 4 * kSlotsPerMiB, "");
    ASSERT_TRUE(segment);
    EXPECT_EQ(segment->path(), "");
    EXPECT_EQ(segment->slots(), 4 * kSlotsPerMiB);
    EXPECT_THAT(segment->note(),
                HasSubstr("cannot create shared memory in " + directory));
    useAllOf(*segment);
    EXPECT_EQ(segment->note().find('\n'), std::string::npos) << "one sentence";
  });
}

TEST_F(SegmentSpaceTest, ALittleRoomGivesASmallRing) {
  onTmpfs(8, [](const std::string& directory) {
    fill(directory, freeBytes(directory) - 5 * kMiB);
    const auto segment = Segment::create(directory, 1, 4 * kSlotsPerMiB, "");
    EXPECT_EQ(segment->slots(), kSlotsPerMiB / 2);
    EXPECT_FALSE(segment->path().empty());
    useAllOf(*segment);
  });
}

}  // namespace
}  // namespace traced
