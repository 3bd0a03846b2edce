#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/compare/comparison.h"
#include "analysis/compare/fitness.h"
#include "analysis/compare/measure_run.h"
#include "analysis/merge/pending_file.h"
#include "analysis/reading/trace_set.h"
#include "cli/common/complain.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/compare/append_run.h"
#include "cli/compare/compare_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// An output format for CI systems.
struct Format {
  const char* option;
  const char* help;
  // `workspace` is the folder that file names are relative to.
  std::string (*text)(const Comparison& comparison,
                      const std::string& workspace);
};

constexpr std::array kFormats = {
    Format{"--junit", "Also write JUnit XML to this file; replaces it",
           [](const Comparison& comparison, const std::string&) {
             return compareJunit(comparison);
           }},
    Format{"--markdown", "Also write a Markdown page of at most 1 MiB",
           [](const Comparison& comparison, const std::string&) {
             return compareMarkdown(comparison);
           }},
    Format{"--sarif",
           "Also write SARIF, with the findings that have a line in the "
           "program's code",
           compareSarif},
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string withoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

class Compare : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    const auto runs = [&](const std::string& name, std::vector<std::string>& to,
                          const std::string& help) {
      return app.add_option(name, to, help)
          ->expected(1, static_cast<int>(kMaxRuns));
    };
    runs("BASE", base_,
         "Runs of the program before the change: folders or files")
        ->required();
    CLI::Option* against =
        runs("--against", fresh_, "Runs of the program after the change");
    runs("--same", same_,
         "More runs of the program before the change. Differences among them "
         "do not count as changes");
    app.add_flag(
        "--paired", settings_.paired,
        "Compare runs in pairs: the first run of each side ran next to the "
        "other's first, and so on, as with `python -m traced ab`");
    app.add_option("--steps", steps_,
                   "Steps to compare, such as 10-49 (default: all marked steps "
                   "except the last)")
        ->check([](const std::string& text) {
          const auto steps = StepRange::parse(text);
          return steps ? std::string() : steps.error().message;
        });
    app.add_option("--floor", floor_percent_,
                   "Smallest change in percent that is reported. A change "
                   "counts if it certainly exceeds this")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option(
           "--alpha", settings_.limits.alpha,
           "Probability with which chance alone may be reported as a change")
        ->check(CLI::Range(0.0001, 0.5))
        ->capture_default_str();
    app.add_flag("--json", json_,
                 "Write JSON, described in docs/reference/json.md");
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
      app.add_option(kFormats[i].option, files_[i], kFormats[i].help);
    }
    app.add_flag("--github", github_,
                 "Print GitHub annotations and append a page to the file in "
                 "GITHUB_STEP_SUMMARY");
    app.add_flag("--all", all_, "Show all rows");
    CLI::Option* append =
        app.add_option("--append", append_,
                       "Do not compare: append the run as a row to this CSV "
                       "file for Apache Otava (docs/use/ci.md)")
            ->excludes(against);
    app.add_option("--label", label_, "The commit to write with --append")
        ->needs(append);
    app.footer(
        "Example: tracectl compare ab/a-* --against ab/b-* --same ab/s-* "
        "--paired");
  }

  ExitCode run() override {
    if (json_ && github_) {
      return refuse("--json and --github exclude each other");
    }
    if (!append_.empty()) return append();
    if (fresh_.empty()) return refuseOneSide();
    settings_.limits.floor = floor_percent_ / 100;
    Runs base, fresh, same;
    std::vector<Remark> unread;
    measure(base_, base, unread);
    measure(fresh_, fresh, unread);
    measure(same_, same, unread);
    const auto twice = sameRunTwice({&base, &fresh, &same});
    if (twice) return refuse(sameRunText(*twice));
    const Comparison comparison = compare(base, fresh, same, unread);
    if (!write(comparison)) return ExitCode::kInternal;
    return conclude(comparison);
  }

 private:
  ExitCode append() const {
    if (base_.size() != 1) return refuse("--append takes one run");
    Runs runs;
    std::vector<Remark> problems;
    measure(base_, runs, problems);
    return runs.empty() ? refuseUnmeasured(remarkTexts({}, problems))
                        : appendRun(runs.front(), append_, label_);
  }

  void measure(const std::vector<std::string>& paths, Runs& runs,
               std::vector<Remark>& unread) const {
    std::optional<StepRange> steps;
    if (!steps_.empty()) steps = StepRange::parse(steps_).value();
    for (const std::string& path : paths) {
      const std::string name = withoutSlash(path);
      Progress progress("reading " + name);
      const std::vector<std::string> one = {path};
      const Result<TraceSet> set = openTraceSet(one, progress.callback());
      progress.done();
      if (!set) {
        unread.emplace_back(RunGap{name, InputWarning{set.error().message}});
        continue;
      }
      runs.push_back(measureRun(*set, name, steps));
      for (const std::string& warning : set->selection_warnings) {
        runs.back().gaps.emplace_back(InputWarning{warning});
      }
    }
  }

  Comparison compare(const Runs& base, const Runs& fresh, const Runs& same,
                     std::vector<Remark>& unread) const {
    if (unread.empty()) return compareRuns(base, fresh, same, settings_);
    Comparison none;
    none.settings = settings_;
    none.base_runs = base_.size();
    none.fresh_runs = fresh_.size();
    none.unfit = std::move(unread);
    return none;
  }

  bool write(const Comparison& comparison) const {
    const std::string workspace = withoutSlash(environment("GITHUB_WORKSPACE"));
    if (json_) {
      writeJson(std::cout, compareJson(comparison));
      std::cout << "\n";
    } else {
      std::cout << compareText(comparison, all_);
    }
    if (github_) std::cout << compareAnnotations(comparison, workspace);
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
      if (files_[i].empty()) continue;
      PendingFile file(files_[i], Existing::kReplaced);
      file.stream() << kFormats[i].text(comparison, workspace);
      if (!finish(file)) return false;
    }
    return !github_ || addToSummary(compareMarkdown(comparison));
  }

  ExitCode refuseOneSide() const {
    const std::string what = "compare needs the new runs after --against";
    if (base_.size() != 2) return refuse(what);
    return refuse(absl::StrCat(what, ": tracectl compare ", shellWord(base_[0]),
                               " --against ", shellWord(base_[1])));
  }

  // Appends, because other steps of the job write to the same file.
  static bool addToSummary(const std::string& text) {
    const std::string path = environment("GITHUB_STEP_SUMMARY");
    if (path.empty()) return true;
    std::ofstream file(path, std::ios::app);
    file << text;
    if (file.flush()) return true;
    complain(absl::StrCat("cannot write to ", path));
    return false;
  }

  static ExitCode conclude(const Comparison& comparison) {
    std::cout.flush();
    for (const std::string& reason : reasonTexts(comparison)) {
      std::cerr << "tracectl: not measured: " << printable(reason) << "\n";
    }
    if (!comparison.unfit.empty()) return ExitCode::kNotMeasured;
    if (comparison.hasFindings()) return ExitCode::kFindings;
    return comparison.not_measured.empty() ? ExitCode::kFine
                                           : ExitCode::kNotMeasured;
  }

  std::vector<std::string> base_, fresh_, same_;
  CompareSettings settings_;
  std::string steps_, append_, label_;
  double floor_percent_ = 3;
  bool json_ = false;
  bool github_ = false;
  bool all_ = false;
  std::array<std::string, kFormats.size()> files_;
};

}  // namespace

std::unique_ptr<Subcommand> makeCompare() {
  return std::make_unique<Compare>();
}

}  // namespace traced
