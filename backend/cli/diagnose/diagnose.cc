#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/diagnosis.h"
#include "analysis/runs/run_list.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/diagnose/diagnose_output.h"
#include "cli/diagnose/follow.h"
#include "cli/inputs/inputs.h"
#include "phrasing/action_text.h"
#include "phrasing/end_text.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

constexpr double kNsPerSecond = 1e9;
// About a century, well below overflow.
constexpr double kMaxSeconds = 3e9;

class Diagnose : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    CLI::Option* attempt = inputs_.declareAttempt(app);
    app.add_option("--hung-after", hung_after_s_,
                   "Seconds after which an unfinished operation counts as hung")
        ->check(CLI::Range(0.0, kMaxSeconds))
        ->capture_default_str();
    app.add_option("--late-after", late_after_s_,
                   "Seconds for which a rank may keep the others waiting once "
                   "before it is reported as late")
        ->check(CLI::Range(0.0, kMaxSeconds))
        ->capture_default_str();
    app.add_flag("--action", action_,
                 "Print only one line for scripts: what to do; see "
                 "docs/reference/diagnosis.md")
        ->excludes("--json");
    app.add_flag("--stock-names", stock_names_,
                 "Also print the nearest verdict names of torchfrtrace");
    WindowOption::refuse(
        app,
        "diagnose judges whole runs: what is wrong in a part of one may have "
        "begun before it; `tracectl report` and `tracectl show` take windows");
    CLI::Option* follow =
        app.add_flag("--follow", follow_,
                     "Watch a job on this host until it ends; see "
                     "docs/reference/cli/diagnose.md");
    follow->excludes(attempt);
    app.add_flag("--until-verdict", until_verdict_,
                 "With --follow: exit with 1 at the first verdict, or with 0 "
                 "if the job ends without one")
        ->needs(follow);
    app.add_option("--busy-after", busy_after_s_,
                   "With --follow: seconds that a rank may compute while "
                   "others wait for it")
        ->check(CLI::Range(0.0, kMaxSeconds))
        ->capture_default_str();
    app.add_flag("--all", all_, "Show all verdicts and ranks");
    app.footer("Example: tracectl diagnose run42/");
  }

  ExitCode run() override {
    if (follow_) return followJob();
    Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    Answer answer(*std::move(set));
    answer.diagnosis = diagnose(answer.set, options());
    // Lists the other attempts, so that a failed start is not missed.
    if (!inputs_.attemptIsChosen()) answer.attempts = attemptsOf(answer.set);
    if (inputs_.json()) {
      writeJson(std::cout, json(answer));
      std::cout << "\n";
    } else if (action_) {
      std::cout << actionLine(answer.diagnosis.action()) << "\n";
    } else {
      std::cout << diagnoseText(inputs_.title(), answer.set, answer.diagnosis,
                                text())
                << otherAttemptsText(answer);
    }
    const ExitCode code =
        inputs_.conclude(allWarnings(answer.set, answer.diagnosis.job.summary));
    if (!answer.diagnosis.verdicts.empty()) return ExitCode::kFindings;
    return answer.diagnosis.healthy() ? code : ExitCode::kNotMeasured;
  }

 private:
  struct Answer {
    explicit Answer(TraceSet about) : set(std::move(about)) {}

    TraceSet set;
    Diagnosis diagnosis;
    // The attempts of the job, newest first. Empty if an attempt was selected
    // or only one exists.
    std::vector<ListedRun> attempts;

    bool isAbout(const ListedRun& run) const {
      return run.attempt == set.streams[set.selected.front()].header.attempt();
    }
  };

  ExitCode followJob() const {
    FollowOptions following;
    following.inputs = inputs_.paths();
    following.title = inputs_.title();
    following.diagnosis = options();
    following.diagnosis.replay = false;  // takes too long for each look
    following.text = text();
    following.busy_after = std::chrono::nanoseconds(
        static_cast<std::int64_t>(busy_after_s_ * kNsPerSecond));
    following.until_verdict = until_verdict_;
    following.json = inputs_.json();
    following.action = action_;
    return follow(following);
  }

  // Returns how the other attempts ended, with the command for each.
  std::string otherAttemptsText(const Answer& answer) const {
    std::string text;
    for (const ListedRun& run : answer.attempts) {
      if (answer.isAbout(run)) continue;
      absl::StrAppend(
          &text,
          wrapped("", absl::StrCat("Attempt ", run.attempt,
                                   " of this job: ", printable(endText(run)),
                                   ". To ask about it:")),
          "    tracectl diagnose ", printable(inputs_.words()), " --attempt ",
          run.attempt, "\n");
    }
    return text.empty() ? "" : "\n" + text;
  }

  Json json(const Answer& answer) const {
    Json json = diagnoseJson(inputs_.title(), answer.set, answer.diagnosis,
                             stock_names_);
    Json attempts = Json::array();
    for (const ListedRun& run : answer.attempts) {
      if (answer.isAbout(run)) {
        json["attempt"] = run.attempt;
        continue;
      }
      attempts.push_back({{"attempt", run.attempt},
                          {"world_size", run.world_size},
                          {"ended", endText(run)}});
    }
    if (!attempts.empty()) json["other_attempts"] = std::move(attempts);
    return json;
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
    options.columns = screenColumns();
    options.stock_names = stock_names_;
    options.inputs = inputs_.words() + inputs_.choiceText();
    options.inputs_note = inputs_.wordsNote();
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
  bool action_ = false;
  bool stock_names_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeDiagnose() {
  return std::make_unique<Diagnose>();
}

}  // namespace traced
