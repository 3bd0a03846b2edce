// Input: several files, for a command that reads traces. Their bytes select the
// command. No text for people may pass a control character from them to the
// terminal.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/common/subcommand.h"
#include "cli/export/job_exporter.h"
#include "fuzz/parts.h"
#include "fuzz/target.h"
#include "fuzz/trace_mutator.h"
#include "phrasing/text.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

using traced::testing::require;

namespace {

struct Run {
  std::unique_ptr<traced::Subcommand> (*make)();
  std::vector<std::string> arguments;
  bool is_text = true;
};

// Captures what a run writes to stdout and stderr.
class Captured {
 public:
  Captured()
      : out_(std::cout.rdbuf(text_.rdbuf())),
        err_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~Captured() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* const out_;
  std::streambuf* const err_;
};

bool isPrintable(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return traced::printable(text) == text;
}

void runOn(const Run& run, const std::string& input) {
  CLI::App app;
  const auto subcommand = run.make();
  subcommand->declare(app);
  std::vector<std::string> arguments = run.arguments;
  arguments.push_back(input);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(std::move(arguments));
  std::string text;
  {
    const Captured captured;
    subcommand->run();
    text = captured.text();
  }
  require(!run.is_text || isPrintable(text), "a terminal can show the text");
}

// Replaces the Python that writes tables by a script that accepts all of them
// and writes nothing.
bool setPython(const std::string& path) {
  traced::testing::writeFile(path,
                             "#!/bin/sh\n"
                             "echo ready; cat >/dev/null; echo whole\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return ::setenv("TRACECTL_PYTHON", path.c_str(), 1) == 0;
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed) {
  return traced::testing::mutateTrace(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const traced::testing::TempDir dir;
  static const bool has_python = setPython(dir.path() + "/python");
  require(has_python, "there is room in the environment");
  const std::string run_dir = dir.path() + "/run";
  std::filesystem::remove_all(run_dir);
  int number = 0;
  for (const std::string_view part : traced::testing::splitParts(
           {reinterpret_cast<const char*>(data), size})) {
    traced::testing::writeFile(run_dir + "/" + std::to_string(number++),
                               std::string(part));
  }
  const std::string merged = dir.path() + "/merged";
  const std::string budget = dir.path() + "/budget";
  const std::string page = dir.path() + "/page";
  std::vector<Run> runs = {
      {traced::makeInfo, {"--all"}},
      {traced::makeInfo, {"--json"}, false},
      {traced::makeReport, {"--wide", "--by", "op,group,size,shape,rank"}},
      {traced::makeReport, {"--json"}, false},
      {traced::makeReport, {"--steps", "0-9", "--since", "0.1"}},
      {traced::makeReport, {"--force", "--html", page}},
      {traced::makeLs, {}},
      {traced::makeLs, {"--json"}, false},
      {traced::makeShow, {}},
      {traced::makeShow, {"--json"}, false},
      {traced::makeExport, {}, false},
      {traced::makeExport, {"--format", "jsonl"}, false},
      {traced::makeExport, {"--format", "text"}},
      {traced::makeExport, {"--table", "matches"}, false},
      {traced::makeExport, {"--table", "waits", "--format", "jsonl"}, false},
      {traced::makeCheck, {"--force", "--write-budget", budget}},
      {traced::makeMerge, {"--force", "-o", merged}}};
  const std::string exported = dir.path() + "/exported";
  std::filesystem::remove_all(exported);
  runs.push_back({traced::makeExport, {"--format", "parquet", "-o", exported}});
  for (const traced::JobFormat& format : traced::jobFormats()) {
    runs.push_back(
        {traced::makeExport, {"--format", format.name, "-o", exported}});
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  runOn(runs[std::hash<std::string_view>()(input) % runs.size()], run_dir);
  return 0;
}
