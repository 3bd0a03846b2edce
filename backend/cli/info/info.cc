#include <iostream>
#include <limits>

#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/info/run_info.h"
#include "cli/inputs/inputs.h"

namespace traced {
namespace {

class Info : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    app.add_flag("--all", all_, "Show every rank, not only one screen of them");
    app.footer("Example: tracectl info run42/");
  }

  ExitCode run() override {
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    const RunInfo info = gatherInfo(*set);
    if (inputs_.json()) {
      writeJson(std::cout, infoJson(inputs_.title(), *set, info));
      std::cout << "\n";
    } else {
      const std::size_t max_ranks =
          all_ ? std::numeric_limits<std::size_t>::max() : kRanksShown;
      std::cout << infoText(inputs_.title(), *set, info, max_ranks);
    }
    return inputs_.conclude(allWarnings(*set, info.summary));
  }

 private:
  static constexpr std::size_t kRanksShown = 24;

  Inputs inputs_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeInfo() { return std::make_unique<Info>(); }

}  // namespace traced
