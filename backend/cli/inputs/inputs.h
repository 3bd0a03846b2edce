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
  // "traces", where the recorder writes by default. With `required`, the user
  // must name a path.
  void declare(CLI::App& app, bool required = false);
  // Declares --attempt.
  CLI::Option* declareAttempt(CLI::App& app);
  // Declares --json.
  void declareJson(CLI::App& app);

  bool json() const { return json_; }
  bool strict() const { return strict_; }
  const std::vector<std::string>& paths() const { return paths_; }
  // Returns the first input's name without trailing slashes, for headings.
  std::string title() const;
  // Returns all inputs as shell words, or "INPUT..." if there are more than
  // four.
  std::string words() const;
  // Returns a sentence that explains "INPUT...". Returns "" if words() does not
  // contain it.
  std::string wordsNote() const;
  // Returns whether the user chose an attempt. "newest" counts as a choice.
  bool attemptIsChosen() const { return chosen_; }
  // Returns the choice as an option, such as " --attempt 0", for suggested
  // commands. Returns "" if none was chosen.
  std::string choiceText() const;

  // Opens the inputs and, without --files-only, the rings of their streams.
  // Shows progress on a terminal. On failure, writes the reason to stderr. The
  // set is valid while this object exists.
  Result<TraceSet> open();

  // Writes warnings to stderr, at most a screenful. Returns the exit code of
  // the command: with --strict, any warning counts as a finding.
  ExitCode conclude(const std::vector<std::string>& warnings) const;

 private:
  std::vector<std::string> paths_;
  RunChoice choice_;
  bool chosen_ = false;
  bool json_ = false;
  bool strict_ = false;
  bool files_only_ = false;
  // One for each set that was opened.
  std::deque<LiveSet> live_;
};

}  // namespace traced
