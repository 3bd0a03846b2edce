#include <algorithm>
#include <future>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/diagnosis.h"
#include "analysis/merge/pending_file.h"
#include "analysis/report/report_builder.h"
#include "cli/common/complain.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

class ReportCommand : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    app.add_option("--by", by_,
                   absl::StrCat("Keys that define the rows: ",
                                absl::StrJoin(reportKeyNames(), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(reportKeyNames()))
        ->capture_default_str();
    app.add_option("--groups", groups_,
                   "Groups with the same name and size: fold into one row, or "
                   "show all (default fold as text, all as JSON)")
        ->check(CLI::IsMember({"fold", "all"}));
    scope_.declare(app);
    window_.declare(app);
    app.add_option("--sort", sort_,
                   "Sort key (default share; steps are in their order)")
        ->check(CLI::IsMember(
            {"share", "calls", "bytes", "host", "completion", "wait", "name"}));
    app.add_option("--limit", limit_, "Maximum number of rows in the text")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--all", all_, "Show all rows in the text, as in the JSON");
    app.add_flag("--wide", wide_,
                 "Show all columns, including totals and means, and the times "
                 "of each rank and group");
    CLI::Option* html = app.add_option(
        "--html", html_, "Write an HTML page to this file instead of the text");
    app.add_flag("--force", force_, "Replace an existing page")->needs(html);
    app.footer("Example: tracectl report run42/ --by op,rank --sort wait");
  }

  ExitCode run() override {
    if (!html_.empty() && inputs_.json()) {
      return refuse("--html and --json exclude each other");
    }
    if (!html_.empty() && !mayWrite(html_, force_)) return ExitCode::kUsage;
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    // Both read the whole set and neither changes it, so they run in parallel.
    std::future<Diagnosis> judged;
    if (!html_.empty()) {
      judged =
          std::async(std::launch::async, [&set] { return diagnose(*set, {}); });
    }
    Report report = build(*set);
    sortRows(report, reportOrderNamed(sort_).value_or(usualOrder(report)));
    if (!html_.empty()) {
      if (!writePage(*set, report, judged.get())) return ExitCode::kInternal;
    } else if (inputs_.json()) {
      writeJson(std::cout, reportJson(inputs_.title(), *set, report));
      std::cout << "\n";
    } else {
      const std::size_t max_rows =
          all_ ? std::numeric_limits<std::size_t>::max() : limit_;
      std::cout << reportText(
          inputs_.title(), *set, report,
          {max_rows, wide_, screenColumns(), wantsColours(), sort_});
    }
    return inputs_.conclude(allWarnings(*set, report.summary));
  }

 private:
  static ReportOrder usualOrder(const Report& report) {
    const bool by_step = std::find(report.by.begin(), report.by.end(),
                                   ReportKey::kStep) != report.by.end();
    return by_step ? ReportOrder::kName : ReportOrder::kShare;
  }

  bool writePage(const TraceSet& set, const Report& report,
                 const Diagnosis& diagnosis) const {
    PendingFile file(html_, force_ ? Existing::kReplaced : Existing::kKept);
    writeHtmlPage(file.stream(), {inputs_.title(), set, report, diagnosis,
                                  inputs_.words() + inputs_.choiceText(),
                                  inputs_.wordsNote()});
    if (!finish(file)) return false;
    complain(absl::StrCat("wrote ", html_));
    return true;
  }

  std::vector<ReportKey> keys() const {
    std::vector<ReportKey> keys;
    for (const std::string& name : by_) {
      const auto key = reportKeyNamed(name);
      const bool is_new =
          std::find(keys.begin(), keys.end(), key) == keys.end();
      if (key && is_new) keys.push_back(*key);
    }
    return keys;
  }

  Report build(const TraceSet& set) const {
    const bool fold = groups_.empty() ? !inputs_.json() : groups_ == "fold";
    return buildReport(set, keys(), scope_.scope(), window_.window(), fold,
                       inputs_.json() || !html_.empty());
  }

  Inputs inputs_;
  std::vector<std::string> by_ = {"op", "group", "dtype", "size"};
  std::string groups_;
  ScopeOption scope_;
  WindowOption window_;
  std::string sort_;
  std::size_t limit_ = 30;
  bool all_ = false;
  std::string html_;
  bool force_ = false;
  bool wide_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeReport() {
  return std::make_unique<ReportCommand>();
}

}  // namespace traced
