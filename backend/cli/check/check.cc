#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/budget/agreement.h"
#include "analysis/budget/budget_builder.h"
#include "analysis/budget/budget_check.h"
#include "analysis/budget/coverage.h"
#include "analysis/merge/pending_file.h"
#include "analysis/reading/stream_loader.h"
#include "cli/check/budget_file.h"
#include "cli/check/check_output.h"
#include "cli/common/complain.h"
#include "cli/common/subcommand.h"
#include "cli/inputs/inputs.h"
#include "phrasing/budget_text.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

constexpr int kMaxAgreeing = 100;

bool writeWhole(const std::string& path, Existing existing,
                const std::string& text) {
  PendingFile file(path, existing);
  file.stream() << text;
  return finish(file);
}

// The measurements that a budget is written from.
struct Measured {
  StepRange steps;
  Budget budget;
  RunSummary summary;
  std::vector<Gap> gaps;
};

Measured measure(const TraceSet& set, std::optional<StepRange> steps) {
  Measured measured;
  std::optional<BudgetBuilder> builder;
  std::optional<StructureBuilder> structure;
  std::optional<Coverage> coverage;
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    const StreamTable table = loader.load(set.streams[i]);
    if (!builder) {
      measured.steps = steps.value_or(usualSteps(table.marks));
      builder.emplace(measured.steps);
      structure.emplace(measured.steps);
      coverage.emplace(std::vector<StepRange>{measured.steps});
    }
    measured.summary.add(table);
    coverage->add(table);
    builder->add(RankUsage(table));
    structure->add(table);
  }
  measured.budget = builder->finish();
  measured.budget.structure = structure->finish();
  measured.gaps = coverage->gaps(set, measured.summary);
  if (measured.budget.rows.empty()) {
    measured.gaps.emplace_back(MissingPart{
        MissingPart::What::kOperations, 0, measured.steps.text(), {}});
  }
  return measured;
}

// Returns the step ranges of figures and of structure.
std::vector<StepRange> rangesOf(const Budget& budget) {
  std::vector<StepRange> ranges = budget.ranges();
  for (const StructureRow& row : budget.structure) {
    if (std::find(ranges.begin(), ranges.end(), row.steps) == ranges.end()) {
      ranges.push_back(row.steps);
    }
  }
  return ranges;
}

class Check : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    CLI::Option* budget = app.add_option("--budget", budget_,
                                         "The budget to check the run against");
    CLI::Option* write =
        app.add_option("--write-budget", write_,
                       "Write a budget with the run's own figures as limits");
    budget->excludes(write);
    app.add_option("--steps", steps_,
                   "With --write-budget: steps to measure, such as 10-49 "
                   "(default: all marked steps except the last)")
        ->needs(write)
        ->check([](const std::string& text) {
          const auto steps = StepRange::parse(text);
          return steps ? std::string() : steps.error().message;
        });
    app.add_option("--agree", agree_,
                   "With --write-budget: more runs of the same program. Only "
                   "figures that are equal in all runs are written")
        ->needs(write)
        ->expected(1, kMaxAgreeing);
    app.add_flag("--force", force_, "With --write-budget: replace the file")
        ->needs(write);
    app.add_option("--junit", junit_,
                   "Also write JUnit XML to this file; replaces it")
        ->needs(budget);
    app.add_flag("--all", all_, "Show all rows, including those that are met");
    app.footer(
        "Example: tracectl check --budget ci/comm-budget.toml traces/job/");
  }

  ExitCode run() override {
    if (budget_.empty() == write_.empty()) {
      return refuse("check needs --budget FILE or --write-budget FILE");
    }
    return budget_.empty() ? writeBudget() : holdAgainst();
  }

 private:
  // Judges the inputs by the budget and prints the result.
  ExitCode holdAgainst() {
    const Result<Budget> budget = readBudget(budget_);
    if (!budget) return refuse(budget.error().message);
    const Result<TraceSet> set = inputs_.open();
    if (!set) return nothingToJudge(*budget);
    const CheckOutcome outcome = judge(*set, *budget);
    if (inputs_.json()) {
      printJson(outcome);
    } else {
      std::cout << checkText(outcome, all_);
    }
    const ExitCode code = inputs_.conclude(allWarnings(*set, outcome.summary));
    if (!writeJunit(outcome)) return ExitCode::kInternal;
    if (!outcome.measured()) return notMeasured(outcome.not_measured);
    return outcome.met() ? code : ExitCode::kFindings;
  }

  // Handles input with nothing to judge, such as a directory without traces.
  ExitCode nothingToJudge(const Budget& budget) const {
    const TraceSet none;
    const CheckOutcome outcome{inputs_.title(),
                               budget_,
                               none,
                               budget,
                               {},
                               {},
                               {},
                               {"nothing readable in the inputs"}};
    if (inputs_.json()) printJson(outcome);
    if (!writeJunit(outcome)) return ExitCode::kInternal;
    return notMeasured(outcome.not_measured);
  }

  static void printJson(const CheckOutcome& outcome) {
    writeJson(std::cout, checkJson(outcome));
    std::cout << "\n";
  }

  bool writeJunit(const CheckOutcome& outcome) const {
    return junit_.empty() ||
           writeWhole(junit_, Existing::kReplaced, checkJunit(outcome));
  }

  CheckOutcome judge(const TraceSet& set, const Budget& budget) const {
    CheckOutcome outcome{inputs_.title(), budget_, set, budget, {}, {}, {}, {}};
    BudgetCheck check(budget);
    StructureCheck structure(budget.structure);
    Coverage coverage(rangesOf(budget));
    StreamLoader loader(set);
    for (const std::size_t i : set.selected) {
      const StreamTable table = loader.load(set.streams[i]);
      outcome.summary.add(table);
      coverage.add(table);
      check.add(RankUsage(table));
      structure.add(table);
    }
    outcome.result = std::move(check).finish();
    outcome.structure = std::move(structure).finish();
    outcome.not_measured = gapTexts(coverage.gaps(set, outcome.summary));
    const std::uint32_t world_size = outcome.summary.worldSize();
    for (const BudgetRow* row : rowsWithoutRanks(budget, world_size)) {
      outcome.not_measured.push_back(rowWithoutRanksText(*row, world_size));
    }
    if (budget.rows.empty() && budget.structure.empty()) {
      outcome.not_measured.push_back("the budget has no rows");
    } else if (!budget.rows.empty() && outcome.result.judged == 0) {
      outcome.not_measured.push_back(
          "no operations were recorded in the steps of the budget");
    }
    return outcome;
  }

  ExitCode writeBudget() {
    if (!mayWrite(write_, force_)) return ExitCode::kUsage;
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    std::optional<StepRange> steps;
    if (!steps_.empty()) steps = StepRange::parse(steps_).value();
    Measured measured = measure(*set, steps);
    const ExitCode code = inputs_.conclude(allWarnings(*set, measured.summary));
    if (!measured.gaps.empty()) return notMeasured(gapTexts(measured.gaps));
    const std::vector<std::string> gaps = agree(measured);
    if (!gaps.empty()) return notMeasured(gaps);
    if (!writeWhole(write_, force_ ? Existing::kReplaced : Existing::kKept,
                    budgetText(measured.budget))) {
      return ExitCode::kInternal;
    }
    printWritten(measured);
    return code;
  }

  // Keeps only what all runs agree on. Returns why a run cannot be measured;
  // empty on success.
  std::vector<std::string> agree(Measured& measured) const {
    std::vector<std::string> gaps;
    std::vector<Disagreement> left_out;
    // One run cannot show which part of its structure is stable.
    if (agree_.empty()) measured.budget.structure.clear();
    for (const std::string& path : agree_) {
      const std::vector<std::string> one = {path};
      const Result<TraceSet> set = openTraceSet(one);
      if (!set) {
        gaps.push_back(absl::StrCat(path, ": ", set.error().message));
        continue;
      }
      const Measured other = measure(*set, measured.steps);
      for (const std::string& gap : gapTexts(other.gaps)) {
        gaps.push_back(absl::StrCat(path, ": ", gap));
      }
      if (other.summary.worldSize() != measured.summary.worldSize()) {
        gaps.push_back(absl::StrCat(path, ": is a job of ",
                                    other.summary.worldSize(), " ranks, not ",
                                    measured.summary.worldSize()));
      }
      keepAgreed(measured.budget, other.budget, left_out);
    }
    if (gaps.empty() && measured.budget.rows.empty()) {
      gaps.push_back("the runs agree on nothing");
    }
    for (const Disagreement& each : left_out) {
      std::cerr << "tracectl: left out: " << printable(disagreementText(each))
                << "\n";
    }
    return gaps;
  }

  void printWritten(const Measured& measured) const {
    const std::vector<BudgetRow>& rows = measured.budget.rows;
    if (inputs_.json()) {
      const Json json = {{"schema", kJsonSchema},
                         {"budget", write_},
                         {"steps", measured.steps.text()},
                         {"rows", rows.size()}};
      writeJson(std::cout, json);
      std::cout << "\n";
      return;
    }
    std::cout << printable(write_) << ": " << countOf(rows.size(), "row")
              << ", steps " << measured.steps.text() << "\n";
    std::size_t totals = 0;
    for (const BudgetRow& row : rows) totals += !row.per_step;
    if (totals > 0 && !measured.steps.all()) {
      std::cerr << "tracectl: note: " << countOf(totals, "row")
                << " not equal in every step, so written as totals; --steps "
                   "chooses others, such as those after warm-up\n";
    }
  }

  // Reports why the run cannot be judged.
  ExitCode notMeasured(const std::vector<std::string>& reasons) const {
    for (const std::string& reason : reasons) {
      std::cerr << "tracectl: not measured: " << printable(reason) << "\n";
    }
    return ExitCode::kNotMeasured;
  }

  Inputs inputs_;
  std::string budget_;
  std::string write_;
  std::string steps_;
  std::string junit_;
  std::vector<std::string> agree_;
  bool force_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeCheck() { return std::make_unique<Check>(); }

}  // namespace traced
