// What a digest lacks is said, and what becomes of small runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/digest/digested_runs.h"
#include "unit/cli/golden_runs.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;

class DigestRefusedTest : public ::testing::Test {
 protected:
  DigestRefusedTest() { writeGoldenRuns(runs_.traces()); }

  const DigestedRuns runs_;
};

TEST_F(DigestRefusedTest, ReportsSayWhatNeedsTheTraces) {
  runs_.digest("run");
  for (const auto& [options, what] :
       {std::pair("--by step", "--by step"), std::pair("--steps 1", "a window"),
        std::pair("--scope crossnode", "--scope")}) {
    const Ran ran = runs_.ofDigests(std::string("report run ") + options);
    EXPECT_EQ(ran.exit_code, 2) << options;
    EXPECT_THAT(ran.err, HasSubstr(std::string("tracectl: ") + what +
                                   " needs the traces"));
  }
}

TEST_F(DigestRefusedTest, VerbsOfOperationsSayWhatTheyWereGiven) {
  runs_.digest("run");
  for (const char* verb : {"show", "tree", "export", "merge", "info"}) {
    const Ran ran = runs_.ofDigests(std::string(verb) + " run");
    EXPECT_EQ(ran.exit_code, 3) << verb;
    EXPECT_THAT(ran.err, HasSubstr("run is a digest")) << verb;
    EXPECT_EQ(ran.out, "") << verb;
  }
}

TEST_F(DigestRefusedTest, SmallRunsStayAsTheyAre) {
  const Ran made = runs_.digest("run", "", "");
  EXPECT_THAT(made.out, HasSubstr("the traces as they are"));
  EXPECT_EQ(runs_.ofDigests("show run").out, runs_.ofTraces("show run").out);
  const std::string asked = "report run --by step";
  EXPECT_EQ(runs_.ofDigests(asked).out, runs_.ofTraces(asked).out);
}

TEST_F(DigestRefusedTest, AFileThatIsThereStays) {
  runs_.digest("run");
  const Ran again = runs_.digest("run", "", "--latest 0");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists; --force replaces it"));
}

TEST_F(DigestRefusedTest, ADamagedDigestIsLeftOutAndCounted) {
  runs_.digest("run");
  const std::string path = runs_.digests() + "/run";
  std::string bytes = readFile(path);
  // In the digest of a rank; the other one is whole.
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
  writeFile(path, bytes);
  const Ran ran = runs_.ofDigests("report run");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, HasSubstr("bytes could not be used"));
}

}  // namespace
}  // namespace traced::testing
