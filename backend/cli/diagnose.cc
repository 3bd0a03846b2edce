#include "cli/diagnose.h"

#include <chrono>
#include <iostream>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/diagnosis.h"
#include "analysis/run_list.h"
#include "cli/diagnose_output.h"
#include "cli/follow.h"
#include "cli/inputs.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/wrap.h"

namespace traced {
namespace {

constexpr double kNsPerSecond = 1e9;
// A century: far from what overflows.
constexpr double kMostSeconds = 3e9;

class Diagnose : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    CLI::Option* attempt = inputs_.declareAttempt(app);
    app.add_option("--hung-after", hung_after_s_,
                   "An operation that has not ended for so many seconds hangs")
        ->check(CLI::Range(0.0, kMostSeconds))
        ->capture_default_str();
    app.add_option("--late-after", late_after_s_,
                   "A rank that once keeps the others waiting for so many "
                   "seconds is late")
        ->check(CLI::Range(0.0, kMostSeconds))
        ->capture_default_str();
    app.add_flag("--stock-names", stock_names_,
                 "The nearest verdict names of torchfrtrace, too");
    CLI::Option* follow = app.add_flag(
        "--follow", follow_,
        "Watch a job that runs on this host, until it ends; see docs/cli.md");
    follow->excludes(attempt);
    app.add_flag("--until-verdict", until_verdict_,
                 "With --follow: end with the first verdict")
        ->needs(follow);
    app.add_option("--busy-after", busy_after_s_,
                   "With --follow: who is waited for may compute for so many "
                   "seconds")
        ->check(CLI::Range(0.0, kMostSeconds))
        ->capture_default_str();
    app.add_flag("--all", all_, "All verdicts and ranks in the text");
    app.footer("Example: tracectl diagnose run42/");
  }

  ExitCode run() override {
    if (follow_) return followJob();
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    const Diagnosis diagnosis = diagnose(*set, options());
    if (inputs_.json()) {
      Json json = diagnoseJson(inputs_.title(), *set, diagnosis, stock_names_);
      addOtherAttempts(json, *set);
      writeJson(std::cout, json);
      std::cout << "\n";
    } else {
      std::cout << diagnoseText(inputs_.title(), *set, diagnosis, text())
                << otherAttemptsText(*set);
    }
    const ExitCode code =
        inputs_.conclude(allWarnings(*set, diagnosis.job.summary));
    if (!diagnosis.verdicts.empty()) return ExitCode::kFindings;
    return diagnosis.healthy() ? code : ExitCode::kNotMeasured;
  }

 private:
  ExitCode followJob() const {
    FollowOptions following;
    following.inputs = inputs_.paths();
    following.title = inputs_.title();
    following.diagnosis = options();
    following.text = text();
    following.busy_after = std::chrono::nanoseconds(
        static_cast<std::int64_t>(busy_after_s_ * kNsPerSecond));
    following.until_verdict = until_verdict_;
    following.json = inputs_.json();
    return follow(following);
  }

  // After an elastic restart the attempt that went wrong is one of these.
  std::string otherAttemptsText(const TraceSet& set) const {
    std::string text;
    for (const ListedRun& run : otherAttempts(set)) {
      absl::StrAppend(&text,
                      wrapped("", absl::StrCat("Attempt ", run.attempt,
                                               " of this job is here, too: ",
                                               printable(endText(run)),
                                               ". To ask about it:")),
                      "    tracectl diagnose ", shellWord(inputs_.title()),
                      " --attempt ", run.attempt, "\n");
    }
    return text.empty() ? "" : "\n" + text;
  }

  static void addOtherAttempts(Json& json, const TraceSet& set) {
    Json attempts = Json::array();
    for (const ListedRun& run : otherAttempts(set)) {
      attempts.push_back({{"attempt", run.attempt},
                          {"world_size", run.world_size},
                          {"ended", endText(run)}});
    }
    if (!attempts.empty()) json["other_attempts"] = std::move(attempts);
  }

  DiagnosisOptions options() const {
    DiagnosisOptions options;
    options.hung_after_ns =
        static_cast<std::int64_t>(hung_after_s_ * kNsPerSecond);
    options.late_after_ns =
        static_cast<std::int64_t>(late_after_s_ * kNsPerSecond);
    return options;
  }

  DiagnoseTextOptions text() const {
    DiagnoseTextOptions options;
    options.stock_names = stock_names_;
    options.choice = inputs_.choiceText();
    options.all = all_;
    options.colours = wantsColours();
    if (all_) {
      options.max_verdicts = options.max_ranks =
          std::numeric_limits<std::size_t>::max();
    }
    return options;
  }

  Inputs inputs_;
  double hung_after_s_ = 5;
  double late_after_s_ = 1;
  double busy_after_s_ = 60;
  bool follow_ = false;
  bool until_verdict_ = false;
  bool stock_names_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeDiagnose() {
  return std::make_unique<Diagnose>();
}

}  // namespace traced
