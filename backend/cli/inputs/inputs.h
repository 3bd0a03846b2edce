// Inputs are the arguments that all commands share: which traces to read.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "analysis/job/run_summary.h"
#include "analysis/reading/stream_selection.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"
#include "cli/common/complain.h"
#include "cli/inputs/live_set.h"

namespace traced {

class Inputs {
 public:
  // Declares the paths, --files-only and --strict. The default path is
  // "traces", where the recorder writes by default; with `required` there is
  // none.
  void declare(CLI::App& app, bool required = false);
  // Declares --attempt.
  CLI::Option* declareAttempt(CLI::App& app);
  // Declares --json.
  void declareJson(CLI::App& app);

  bool json() const { return json_; }
  bool strict() const { return strict_; }
  const std::vector<std::string>& paths() const { return paths_; }
  // The first input's name without trailing slashes, for headings.
  std::string title() const;
  // Returns all inputs as words of a shell; "INPUT..." for more than four.
  std::string words() const;
  // Returns a sentence that explains "INPUT..."; "" where words() has none.
  std::string wordsNote() const;
  // Whether the user said which attempt; "newest" says so, too.
  bool attemptIsChosen() const { return chosen_; }
  // " --attempt 0", for commands about the same run; "" where none was chosen.
  std::string choiceText() const;

  // Opens the inputs, and unless told not to the rings of their streams, with
  // progress on a terminal. Says why on stderr when it fails. The set is valid
  // as long as this.
  Result<TraceSet> open();

  // Writes warnings to stderr, a screenful of them at most, and tells what the
  // verb should exit with: with --strict, any warning is a finding.
  ExitCode conclude(const std::vector<std::string>& warnings) const;

 private:
  std::vector<std::string> paths_;
  RunChoice choice_;
  bool chosen_ = false;
  bool json_ = false;
  bool strict_ = false;
  bool files_only_ = false;
  // Each belongs to a set that was opened.
  std::deque<LiveSet> live_;
};

}  // namespace traced
