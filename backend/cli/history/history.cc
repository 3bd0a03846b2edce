#include "cli/history/history.h"

#include <iostream>
#include <string>

#include "analysis/history/history_reader.h"
#include "analysis/history/history_verdict.h"
#include "analysis/merge/pending_file.h"
#include "cli/common/complain.h"
#include "cli/common/text.h"
#include "cli/history/history_output.h"

namespace traced {
namespace {

class HistoryVerb : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_,
                   "Runs, as tracectl compare --append adds them")
        ->required();
    app.add_option("--newest", limits_.newest,
                   "In how many of the latest runs a change is news")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--floor", floor_percent_,
                   "What change of the mean counts, in percent")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    CLI::Option* alpha =
        app.add_option("--alpha", limits_.alpha,
                       "How often chance alone may be told as a change, "
                       "anywhere in the history")
            ->check(CLI::Range(0.0001, 0.5))
            ->capture_default_str();
    app.add_option("--max-p", limits_.max_p,
                   "The largest p of a change of one series instead, whatever "
                   "their number; Otava's is 0.001")
        ->check(CLI::Range(1e-300, 0.5))
        ->excludes(alpha);
    app.add_option("--window", limits_.window,
                   "How many runs are looked at together")
        ->check(CLI::Range(4, 1000))
        ->capture_default_str();
    app.add_option("--key", key_,
                   "Show only kinds of operation whose name has this in it");
    app.add_flag("--all", all_,
                 "What is older, too; in the JSON also what has not changed");
    app.add_flag("--json", json_, "Write JSON, described in docs/history.md");
    app.add_option("--markdown", markdown_,
                   "Write a page of Markdown too, of at most 1 MiB");
    app.add_option("--html", html_,
                   "Write a page of plots too, for a browser, over what is "
                   "there");
    app.footer("Example: tracectl history nightly.jsonl --html nightly.html");
  }

  ExitCode run() override {
    limits_.floor = floor_percent_ / 100;
    const Result<History> history = readHistory(file_);
    if (!history) return refuse(history.error().message);
    const HistoryVerdict verdict = judgeHistory(*history, limits_);
    const HistoryOutput output{file_, *history, verdict, key_, all_};
    if (json_) {
      writeJson(std::cout, historyJson(output));
      std::cout << "\n";
    } else {
      std::cout << historyText(output);
    }
    std::cout.flush();
    if (!writeFiles(output)) return ExitCode::kInternal;
    return concludeHistory(output);
  }

 private:
  bool writeFiles(const HistoryOutput& output) const {
    if (!markdown_.empty()) {
      PendingFile file(markdown_, Existing::kReplaced);
      file.stream() << historyMarkdown(output);
      if (!finish(file)) return false;
    }
    if (!html_.empty()) {
      PendingFile file(html_, Existing::kReplaced);
      writeHistoryPage(file.stream(), output);
      if (!finish(file)) return false;
    }
    return true;
  }

  static ExitCode concludeHistory(const HistoryOutput& output) {
    for (const std::string& warning : output.history.warnings) {
      std::cerr << "warning: " << printable(warning) << "\n";
    }
    for (const std::string& reason : output.verdict.not_measured) {
      std::cerr << "not measured: " << printable(reason) << "\n";
    }
    if (output.verdict.hasRegression()) return ExitCode::kFindings;
    return output.verdict.not_measured.empty() ? ExitCode::kFine
                                               : ExitCode::kNotMeasured;
  }

  std::string file_, key_, markdown_, html_;
  HistoryLimits limits_;
  double floor_percent_ = 3;
  bool json_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeHistory() {
  return std::make_unique<HistoryVerb>();
}

}  // namespace traced
