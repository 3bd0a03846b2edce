#include "analysis/whatif/whatif.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>

#include "analysis/reading/stream_reader.h"
#include "analysis/whatif/build_replay_job.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "cli/whatif/timeline.h"
#include "cli/whatif/whatif_output.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

constexpr double kMinNetwork = 0.01;
constexpr double kMaxNetwork = 1'000;
constexpr std::size_t kMaxRows = 1'024;

class WhatIfCommand : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    window_.declare(app);
    app.add_option("--network", network_,
                   "How many times faster transfers become")
        ->check(CLI::Range(kMinNetwork, kMaxNetwork))
        ->capture_default_str();
    app.add_option("--limit", limit_,
                   "Maximum number of ranks, stages, operations, groups and "
                   "pairs of nodes to ask about")
        ->check(CLI::Range(std::size_t{1}, kMaxRows))
        ->capture_default_str();
    app.add_option("--timeline", timeline_,
                   "File for the recorded run and the run without imbalance, "
                   "side by side: open it in ui.perfetto.dev")
        ->type_name("FILE");
    app.add_flag("--all", all_, "Show all rows in the text, as in the JSON");
    app.footer("Example: tracectl whatif run42/ --steps 10-49");
  }

  ExitCode run() override {
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    RunSummary summary;
    std::uint64_t outside = 0;
    const whatif::ReplayJob job =
        whatif::buildReplayJob(*set, window_.window(), summary, outside);
    whatif::WhatIfOptions options;
    options.network = network_;
    options.max_rows = limit_;
    options.threads = readingThreads(*set);
    options.with_ideal_times = !timeline_.empty();
    const whatif::WhatIf result = whatif::whatIf(job, options);
    write({inputs_.title(), *set, summary, result, network_, window_.window(),
           outside,
           all_ ? std::numeric_limits<std::size_t>::max() : kShownRows});
    if (!timeline_.empty() && !result.refusal &&
        !writeTimeline(job, result.ideal_times, timeline_)) {
      complain(absl::StrCat("cannot write ", timeline_));
      return ExitCode::kUsage;
    }
    const ExitCode code = inputs_.conclude(allWarnings(*set, summary));
    return result.refusal ? ExitCode::kNotMeasured : code;
  }

 private:
  static constexpr std::size_t kShownRows = 12;

  void write(const WhatIfOutput& output) const {
    if (inputs_.json()) {
      writeJson(std::cout, whatIfJson(output));
      std::cout << "\n";
      return;
    }
    std::cout << whatIfText(output, screenColumns(), wantsColours());
  }

  Inputs inputs_;
  WindowOption window_;
  double network_ = 2;
  std::size_t limit_ = 8;
  std::string timeline_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeWhatIf() {
  return std::make_unique<WhatIfCommand>();
}

}  // namespace traced
