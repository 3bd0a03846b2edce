#include "cli/inputs/inputs.h"

#include <iostream>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/common/complain.h"
#include "cli/common/terminal.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNamedInputs = 4;

}  // namespace

void Inputs::declare(CLI::App& app, bool required) {
  if (!required) paths_ = {"traces"};
  CLI::Option* input =
      app.add_option("INPUT", paths_,
                     "Trace files, merged files, or directories of them")
          ->required(required);
  if (!required) input->capture_default_str();
  app.add_flag("--files-only", files_only_,
               "Ignore records in shared memory that are not yet in the files");
  app.add_flag("--strict", strict_, "Exit with 1 after any warning");
}

void Inputs::declareJson(CLI::App& app) {
  app.add_flag("--json", json_,
               "Write JSON, described in docs/reference/json.md");
}

CLI::Option* Inputs::declareAttempt(CLI::App& app) {
  const auto choose = [this](const std::string& given) {
    chosen_ = true;
    std::uint32_t attempt = 0;
    if (given == "newest") return;
    if (!absl::SimpleAtoi(given, &attempt)) {
      throw CLI::ValidationError("--attempt", "give a number, or \"newest\"");
    }
    choice_.attempt = attempt;
  };
  return app.add_option_function<std::string>("--attempt", choose,
                                              "The attempt of the job to read");
}

std::string Inputs::choiceText() const {
  return choice_.attempt ? absl::StrCat(" --attempt ", *choice_.attempt) : "";
}

std::string Inputs::words() const {
  if (paths_.size() > kMaxNamedInputs) return "INPUT...";
  std::vector<std::string> words;
  for (const std::string& path : paths_) words.push_back(shellWord(path));
  return absl::StrJoin(words, " ");
}

std::string Inputs::wordsNote() const {
  if (paths_.size() <= kMaxNamedInputs) return "";
  return absl::StrCat("INPUT... are the ", paths_.size(),
                      " inputs of this command.");
}

std::string Inputs::title() const {
  std::string title = paths_.front();
  while (title.size() > 1 && title.back() == '/') title.pop_back();
  return printable(title);
}

Result<TraceSet> Inputs::open() {
  Progress progress("reading");
  auto set =
      files_only_
          ? openTraceSet(paths_, progress.callback(), choice_)
          : live_.emplace_back(paths_, choice_).refresh(progress.callback());
  progress.done();
  if (!set) complain(set.error().message);
  return set;
}

ExitCode Inputs::conclude(const std::vector<std::string>& warnings) const {
  constexpr std::size_t kMaxSentences = 20;
  std::cout.flush();
  for (std::size_t i = 0; i < warnings.size() && i < kMaxSentences; ++i) {
    std::cerr << "tracectl: warning: " << printable(warnings[i]) << "\n";
  }
  if (warnings.size() > kMaxSentences) {
    std::cerr << "tracectl: warning: and " << warnings.size() - kMaxSentences
              << " more; --json has all of them\n";
  }
  if (!strict_ || warnings.empty()) return ExitCode::kFine;
  std::cerr << "tracectl: " << countOf(warnings.size(), "warning")
            << ", and --strict allows none\n";
  return ExitCode::kFindings;
}

}  // namespace traced
