#include "recorder/resources/throttling.h"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

class ThrottlingTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    testing::writeFile(folder_.path() + "/" + path, text);
  }
  Throttling found() const {
    return Throttling(folder_.path() + "/proc", folder_.path() + "/sys");
  }

  testing::TempDir folder_;
};

TEST_F(ThrottlingTest, TakesTheLongestOfTheCgroupAndThoseAboveIt) {
  write("proc/cgroup", "0::/pod/box\n");
  write("sys/cpu.stat", "usage_usec 9\n");  // the root has no limit
  write("sys/pod/cpu.stat", "usage_usec 7\nthrottled_usec 1000\n");
  write("sys/pod/box/cpu.stat", "usage_usec 7\nthrottled_usec 30\n");
  Throttling throttling = found();
  EXPECT_EQ(throttling.measure(), 0u);
  write("sys/pod/box/cpu.stat", "usage_usec 7\nthrottled_usec 50\n");
  EXPECT_EQ(throttling.measure(), 20'000u) << "what was long ago is over";
  write("sys/pod/cpu.stat", "usage_usec 7\nthrottled_usec 1030\n");
  EXPECT_EQ(throttling.measure(), 30'000u);
}

TEST_F(ThrottlingTest, ReadsTheFirstVersionOfCgroups) {
  write("proc/cgroup",
        "5:memory:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/box\n0::/\n");
  const std::string file = "sys/cpu,cpuacct/box/cpu.stat";
  write(file, "nr_periods 3\nnr_throttled 1\nthrottled_time 1234\n");
  Throttling throttling = found();
  write(file, "nr_periods 4\nnr_throttled 2\nthrottled_time 1238\n");
  EXPECT_EQ(throttling.measure(), 4u);
}

TEST_F(ThrottlingTest, FindsTheCgroupOfAContainerThatSeesThePathOfItsHost) {
  write("proc/cgroup", "4:cpu:/docker/abc\n");
  write("sys/cpu/cpu.stat", "nr_periods 3\nthrottled_time 5\n");
  EXPECT_EQ(found().measure(), 0u);
}

TEST_F(ThrottlingTest, IsUnknownWithoutCgroups) {
  EXPECT_EQ(found().measure(), std::nullopt);
  write("proc/cgroup", "nonsense\n0:\n::relative\n");
  EXPECT_EQ(found().measure(), std::nullopt);
}

}  // namespace
}  // namespace traced
