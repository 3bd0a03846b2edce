// Compares whole outputs of tracectl with files in tests/golden. After an
// intended change, run this test with TRACED_UPDATE_GOLDEN=1 and review the
// diff.

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>

#include "golden_runs.h"
#include "run_tracectl.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced::testing {
namespace {

void replaceAll(std::string& text, const std::string& what,
                const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

struct Golden {
  const char* arguments;
  const char* file;
  const char* run = "run";
  int exit_code = 0;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.file; }

class GoldenTest : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, OutputIsAsExpected) {
  const TempDir dir;
  writeGoldenRuns(dir.path());
  // Line breaks must not depend on the length of the folder's path.
  const Ran ran =
      runTracectl(std::string(GetParam().arguments) + " " + GetParam().run, "",
                  "cd " + dir.path() + "; COLUMNS=");
  EXPECT_EQ(ran.exit_code, GetParam().exit_code) << ran.err;
  const std::string& out = ran.out;
  const std::string golden = std::string(GOLDEN_DIR) + "/" + GetParam().file;
  if (std::getenv("TRACED_UPDATE_GOLDEN")) writeFile(golden, out);
  EXPECT_EQ(out, readFile(golden));
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, GoldenTest,
    ::testing::Values(
        Golden{"info --json", "info.json"}, Golden{"info", "info.txt"},
        Golden{"report --json", "report.json"}, Golden{"report", "report.txt"},
        Golden{"report --wide", "report_wide.txt"},
        Golden{"show --json", "show.json"}, Golden{"show", "show.txt"},
        Golden{"diagnose", "diagnose_hung.txt", "hung", 1},
        Golden{"diagnose --json", "diagnose_hung.json", "hung", 1},
        Golden{"diagnose --stock-names", "diagnose_mismatched.txt",
               "mismatched", 1},
        Golden{"diagnose --json --stock-names", "diagnose_mismatched.json",
               "mismatched", 1},
        Golden{"tree", "tree.txt", "modular"},
        Golden{"tree --level 0 --rank all", "tree_all.txt", "modular"},
        Golden{"tree --level 3 --rank 1", "tree_shapes.txt", "modular"},
        Golden{"tree --json --level 2", "tree.json", "modular"},
        Golden{"tree", "tree_unknown.txt"},
        Golden{"info", "info_stepped.txt", "stepped"},
        Golden{"report", "report_stepped.txt", "stepped"},
        Golden{"show", "show_stepped.txt", "stepped"},
        Golden{"export", "export.csv", "stepped"},
        Golden{"export --format jsonl", "export.jsonl", "stepped"},
        Golden{"export --format text", "export.txt"}),
    [](const auto& instance) {
      std::string name = instance.param.file;
      replaceAll(name, ".", "_");
      return name;
    });

}  // namespace
}  // namespace traced::testing
