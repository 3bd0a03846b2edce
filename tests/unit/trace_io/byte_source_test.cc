#include "trace_io/byte_source.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

TEST(FileSourceTest, ReadsAnywhereInAFileLargerThanItsWindow) {
  testing::TempDir dir;
  std::string bytes(3'000'000, '.');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = 'x';
  auto source =
      FileSource::open(testing::writeFile(dir.path() + "/file", bytes));
  ASSERT_TRUE(source);
  for (const std::size_t offset : {0u, 2'999'999u, 1'048'570u, 5u}) {
    EXPECT_EQ((*source)->read(offset, 2'000'000),
              bytes.substr(offset, 2'000'000));
  }
  EXPECT_EQ((*source)->read(bytes.size(), 1), "");
}

TEST(FileSourceTest, AFileThatShrinksIsAShortRead) {
  testing::TempDir dir;
  const std::string path =
      testing::writeFile(dir.path() + "/file", std::string(100, '.'));
  auto source = FileSource::open(path);
  ASSERT_TRUE(source);
  std::filesystem::resize_file(path, 10);
  errno = EINTR;  // left by an earlier call; no read here is interrupted
  EXPECT_EQ((*source)->read(0, 100).size(), 10u);
  EXPECT_EQ((*source)->read(50, 10), "");
}

TEST(FileSourceTest, ReportsAFileThatCannotBeOpened) {
  const auto missing = FileSource::open("/nowhere/at/all");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "/nowhere/at/all: No such file or directory");
  const auto device = FileSource::open("/dev/null");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message, "/dev/null: not a regular file");
}

}  // namespace
}  // namespace traced
