#include "recorder/standstill/small_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

// Returns the number that the next file gets.
int nextDescriptor() {
  const int file = open("/dev/null", O_RDONLY);
  close(file);
  return file;
}

TEST(KeptFile, ReadsTheFileAnew) {
  const testing::TempDir dir;
  const std::string path = testing::writeFile(dir.path() + "/file", "one");
  KeptFile file(path);
  EXPECT_STREQ(file.read().text, "one");
  testing::writeFile(path, "two");
  EXPECT_STREQ(file.read().text, "two");
}

TEST(KeptFile, IsEmptyWithoutAFile) {
  KeptFile file("/proc/none");
  EXPECT_STREQ(file.read().text, "");
}

TEST(KeptFile, LeavesADescriptorThatTheProgramTook) {
  const testing::TempDir dir;
  const std::string path = testing::writeFile(dir.path() + "/file", "kept");
  const std::string other = testing::writeFile(dir.path() + "/other", "other");
  const int number = nextDescriptor();
  {
    KeptFile file(path);
    EXPECT_STREQ(file.read().text, "kept");
    ASSERT_EQ(close(number), 0);
    ASSERT_EQ(open(other.c_str(), O_RDONLY), number);
    EXPECT_STREQ(file.read().text, "kept");
  }
  EXPECT_EQ(close(number), 0) << "it was the program's";
  EXPECT_EQ(nextDescriptor(), number) << "the file was closed";
}

}  // namespace
}  // namespace traced
