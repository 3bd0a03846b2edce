// Tests tracectl's help, and its errors for invalid command lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "run_tracectl.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kVerbs[] = {
    "ls",   "info",   "merge", "recover", "report", "tree",       "diagnose",
    "show", "export", "check", "compare", "help",   "completion", "whatif"};

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) {
    most = std::max(most, line.size());
  }
  return most;
}

TEST(VerbsTest, HelpIsAVerbToo) {
  const Ran help = runTracectl("help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out, runTracectl("--help").out);
  for (const char* verb : kVerbs) {
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + verb + " "));
  }
  EXPECT_EQ(runTracectl("help report").out, runTracectl("report --help").out);
  EXPECT_EQ(runTracectl("-V").out, runTracectl("--version").out);
}

TEST(VerbsTest, HelpExplainsTheColumns) {
  const Ran help = runTracectl("help columns");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_LE(widest(help.out), 100u) << help.out;
  for (const char* column : {"completion ms", "for peers ms", "share of run"}) {
    EXPECT_THAT(help.out, HasSubstr(column));
  }
}

TEST(VerbsTest, HelpFitsAScreenWithoutRepetition) {
  for (const char* verb : kVerbs) {
    const Ran help = runTracectl(std::string("help ") + verb);
    EXPECT_EQ(help.exit_code, 0) << verb;
    EXPECT_LE(widest(help.out), 100u) << help.out;
    EXPECT_THAT(help.out, AllOf(Not(HasSubstr("TEXT")), Not(HasSubstr("{")),
                                Not(HasSubstr("FLOAT"))));
  }
  const std::string report = runTracectl("help report").out;
  EXPECT_THAT(report, ContainsRegex("default[ \n]+op,group,dtype,size"));
  EXPECT_THAT(report, HasSubstr("share, calls, bytes"));
}

TEST(VerbsTest, SuggestsTheRightVerb) {
  const Ran misspelt = runTracectl("reprot x");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_EQ(misspelt.err,
            "tracectl: unknown command \"reprot\", did you mean report?\n"
            "Run `tracectl help` for the list.\n");
  EXPECT_THAT(runTracectl("xyzzy").err,
              StartsWith("tracectl: unknown command \"xyzzy\"\n"));
  const Ran helped = runTracectl("help reprot");
  EXPECT_EQ(helped.exit_code, 2);
  EXPECT_THAT(helped.err, HasSubstr("did you mean report?"));
  const Ran none = runTracectl("");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, StartsWith("tracectl: no command"));
}

TEST(VerbsTest, SuggestsTheRightOption) {
  const Ran misspelt = runTracectl("show --grups dp x");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err,
              StartsWith("tracectl: unknown option --grups of tracectl "
                         "show, did you mean --groups?\n"));
}

TEST(VerbsTest, AWrongFolderHasNoTraces) {
  const TempDir dir;
  for (const char* name : {"a.py", "b.py", "c/d.py"}) {
    writeFile(dir.path() + "/" + name, "print(1)\n");
  }
  writeFile(dir.path() + "/__init__.py", "");
  const Ran ran = runTracectl("report " + dir.path());
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "tracectl: no traces below " + dir.path() + "\n");
}

class CompletionTest : public ::testing::Test {
 protected:
  // Returns bash's completions of the last of these words.
  std::string complete(const std::string& words) const {
    const std::string script = dir_.path() + "/complete";
    writeFile(script, "source " + dir_.path() + "/bash\nCOMP_WORDS=(" + words +
                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                          "_tracectl\necho \"${COMPREPLY[*]}\"\n");
    return runTracectl("completion bash > " + dir_.path() + "/bash; cd " +
                       dir_.path() + "; bash " + script)
        .out;
  }
  TempDir dir_;
};

TEST_F(CompletionTest, BashCompletesVerbsOptionsAndValues) {
  EXPECT_EQ(complete("tracectl re"), "recover report\n");
  EXPECT_EQ(complete("tracectl show --gr"), "--groups\n");
  EXPECT_EQ(complete("tracectl report --sort c"), "calls completion\n");
  EXPECT_EQ(complete("tracectl report --by op,gr"), "op,group\n");
  EXPECT_EQ(complete("tracectl completion f"), "fish\n");
  EXPECT_EQ(complete("tracectl rin"), "\n") << "that verb is for programs";
}

TEST_F(CompletionTest, BashCompletesFiles) {
  writeFile(dir_.path() + "/run 42.traced", "");
  EXPECT_EQ(complete("tracectl show run"), "run 42.traced\n");
}

TEST_F(CompletionTest, EveryShellKnowsEveryVerb) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Ran ran = runTracectl("completion " + shell);
    EXPECT_EQ(ran.exit_code, 0);
    for (const char* verb : kVerbs) EXPECT_THAT(ran.out, HasSubstr(verb));
    // Each installed shell accepts the script.
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) {
      continue;
    }
    writeFile(dir_.path() + "/" + shell, ran.out);
    EXPECT_EQ(std::system((shell + " -n " + dir_.path() + "/" + shell).c_str()),
              0)
        << shell;
  }
  EXPECT_EQ(runTracectl("completion csh").exit_code, 2);
}

}  // namespace
}  // namespace traced::testing
