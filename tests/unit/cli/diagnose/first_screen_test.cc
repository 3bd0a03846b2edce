// Tests the first screen of a diagnosis, as a new user sees it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "hung_run.h"
#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kLines = 30;

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns whether a line may exceed the width: a command to paste, or the
// diagnosed path.
bool mayBeLong(const std::string& line) {
  return line.starts_with("    tracectl ") || line.starts_with("    py-spy ") ||
         line.starts_with("/");
}

std::string diagnosed(const std::string& directory,
                      const std::string& options = "") {
  const Ran ran = runTracectl("diagnose " + options + " " + directory);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  return ran.out;
}

void expectOneScreen(const std::string& screen) {
  const std::vector<std::string> lines = linesOf(screen);
  EXPECT_LE(lines.size(), kLines) << screen;
  for (const std::string& line : lines) {
    if (mayBeLong(line)) continue;
    EXPECT_LE(line.size(), kColumns) << line;
  }
}

// Rank 1 of `world` raises; the others wait in a group with a long name.
void writeRaisedRun(const std::string& directory, std::uint32_t world) {
  JobBuilder job(world);
  for (std::uint32_t r = 0; r < world; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t group = rank.addGroup(
        "sharded data parallel of the encoder's 24 layers", 0, world);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, group).id();
    rank.end(call, 0);
    if (r == 1) {
      rank.raise(50,
                 "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                 "allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 "
                 "GiB of which 1.2 GiB is free.\n\x1B[31mand more");
      rank.processEnd().set_exit_code(1);
      writeRank(directory, r, rank, Ending::kClosed);
    } else {
      rank.hang(call, 100 + r);
      rank.live(30'000);
      writeRank(directory, r, rank, Ending::kCut);
    }
  }
}

TEST(FirstScreenTest, TheFirstLineIsTheRaisedException) {
  const TempDir dir;
  writeRaisedRun(dir.path(), 64);
  const std::string screen = diagnosed(dir.path());
  expectOneScreen(screen);
  EXPECT_THAT(screen,
              StartsWith("rank 1 raised torch.OutOfMemoryError: CUDA out "
                         "of memory before all_reduce #2"));
  std::string unbroken = screen;
  std::replace(unbroken.begin(), unbroken.end(), '\n', ' ');
  EXPECT_THAT(unbroken,
              HasSubstr("ranks 0,2,3-63 wait for it, for 29.9 s. "
                        "(certain; that rank 1 is to blame: likely)"));
  EXPECT_THAT(screen, HasSubstr("tracectl show " + dir.path() + " --groups "));
  EXPECT_THAT(screen, Not(HasSubstr("and more")));
}

TEST(FirstScreenTest, AHangAndAMismatchFit) {
  const TempDir hung, mismatched;
  writeHungRun(hung.path());
  writeMismatchedRun(mismatched.path());
  expectOneScreen(diagnosed(hung.path()));
  expectOneScreen(diagnosed(mismatched.path()));
}

TEST(FirstScreenTest, PrintedCommandsWork) {
  const TempDir dir;
  writeRaisedRun(dir.path(), 3);
  std::size_t tried = 0;
  for (const std::string& line : linesOf(diagnosed(dir.path()))) {
    const std::string program = "    tracectl ";
    if (!line.starts_with(program)) continue;
    const Ran ran = runTracectl(line.substr(program.size()));
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("all_reduce")) << line;
    ++tried;
  }
  EXPECT_GT(tried, 0U);
}

}  // namespace
}  // namespace traced::testing
