#include "recorder/trigger_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace traced {
namespace {

class TriggerFileTest : public ::testing::Test {
 protected:
  // Sets the file's modification time, so that the clock's resolution does not
  // matter.
  void touch(time_t seconds) {
    std::ofstream(path_, std::ios::app);
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  }

  // Returns the answer at the next allowed check, on a clock that runs ahead.
  bool touchedNext(TriggerFile& trigger) {
    now_ += TriggerFile::kInterval;
    return trigger.touched(now_);
  }

  testing::TempDir dir_;
  const std::string path_ = dir_.path() + "/flush";
  TriggerFile::Time now_ =
      std::chrono::steady_clock::now() + std::chrono::hours(1);
};

TEST_F(TriggerFileTest, CreationAndChangeAreTouches) {
  TriggerFile trigger(path_);
  EXPECT_FALSE(touchedNext(trigger));
  touch(100);
  EXPECT_TRUE(touchedNext(trigger));
  EXPECT_FALSE(touchedNext(trigger));
  touch(50);  // also to an earlier time
  EXPECT_TRUE(touchedNext(trigger));
  std::filesystem::remove(path_);
  EXPECT_FALSE(touchedNext(trigger));
  touch(50);
  EXPECT_TRUE(touchedNext(trigger));
}

TEST_F(TriggerFileTest, AnExistingFileIsNoTouch) {
  touch(100);
  TriggerFile trigger(path_);
  EXPECT_FALSE(touchedNext(trigger));
  touch(101);
  EXPECT_TRUE(touchedNext(trigger));
}

TEST_F(TriggerFileTest, ChecksTheFileAtIntervals) {
  TriggerFile trigger(path_);
  EXPECT_FALSE(touchedNext(trigger));
  touch(100);
  EXPECT_FALSE(trigger.touched(now_ + TriggerFile::kInterval / 2));
  EXPECT_TRUE(touchedNext(trigger));
}

TEST_F(TriggerFileTest, WithoutAPathNothingTriggers) {
  TriggerFile trigger("");
  EXPECT_FALSE(touchedNext(trigger));
}

}  // namespace
}  // namespace traced
