#include <algorithm>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "analysis/match/rows_at_end.h"
#include "cli/common/complain.h"
#include "cli/common/named_filters.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "cli/show/show_output.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

class Show : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    app.add_option("--ranks", ranks_, "Only these ranks, such as 0-3,5")
        ->check([](const std::string& text) {
          const auto ranks = parseRanks(text);
          return ranks ? std::string() : ranks.error().message;
        });
    app.add_option("--groups", groups_,
                   "Only the groups with these labels; all shows each group "
                   "separately, including those with equal names")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--ops", ops_,
                   "Only these operations, such as all_reduce,send")
        ->delimiter(',')
        ->allow_extra_args(false);
    scope_.declare(app);
    window_.declare(app);
    app.add_flag("--values", values_,
                 "Also show what TRACED_VALUES=stats found in the tensors (the "
                 "JSON always has it)");
    app.add_option("--last", last_, "Only the last N rows");
    app.add_option("--limit", limit_,
                   "At most N rows, 0 for all (default 40 as text, all as "
                   "JSON)");
    app.add_flag("--stacks", stacks_,
                 "Also show the call sites (the JSON always has them)");
    app.footer("Example: tracectl show run42/ --groups dp,pp --last 5");
  }

  ExitCode run() override {
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    const bool all_groups = groups_ == std::vector<std::string>{"all"};
    if (all_groups) groups_.clear();
    const NodeIndex nodes(*set);
    MatchFilter wanted = filter();
    wanted.nodes = &nodes;
    RowsAtEnd rows(*set, rowsWanted(), wanted);
    const std::string unknown =
        unknownName({ranks_, groups_, ops_}, rows.run());
    if (!unknown.empty()) return refuse(unknown);
    const bool fold = !inputs_.json() && !stacks_ && !values_ && !all_groups &&
                      groups_.empty();
    rows.match(fold);
    const LoadedRun& run = rows.run();
    const MatchTable& table = rows.table();
    const std::vector<ShownEvent> events = eventsOf(run, wanted);
    ShowContext context{inputs_.title(), *set,         run,          table,
                        events,          wanted.scope, wanted.window};
    if (values_ || inputs_.json()) context.values = valuesOf(run);
    if (inputs_.json()) {
      writeShowJson(std::cout, context, choose(rows));
    } else {
      const ShownRows shown = choose(rows);
      // Shows every rank that the user named.
      constexpr auto kAny = std::numeric_limits<std::size_t>::max();
      const std::size_t columns = ranks_.empty() ? screenColumns() : kAny;
      const std::size_t max_ranks =
          ranks_.empty() ? ranksThatFit(context, shown, kRanksShown, columns)
                         : kAny;
      writeShowText(std::cout, context, shown, max_ranks, columns);
      if (stacks_) writeStacksText(std::cout, context, shown, max_ranks);
    }
    return inputs_.conclude(allWarnings(*set, run.summary));
  }

 private:
  static constexpr std::size_t kRowsShown = 40;
  static constexpr std::size_t kRanksShown = 8;

  MatchFilter filter() const {
    MatchFilter filter;
    if (!ranks_.empty()) filter.ranks = parseRanks(ranks_).value();
    filter.groups.insert(groups_.begin(), groups_.end());
    filter.ops.insert(ops_.begin(), ops_.end());
    filter.scope = scope_.scope();
    filter.window = window_.window();
    return filter;
  }

  // Returns the number of rows to show; 0 for all.
  std::size_t limit() const {
    if (limit_) return *limit_;
    return last_ || inputs_.json() ? 0 : kRowsShown;
  }

  // Returns which rows to load; absent if the whole run is needed. JSON and
  // filters count omitted rows, and step marks may be anywhere.
  std::optional<RowsWanted> rowsWanted() const {
    const bool filtered = !ops_.empty() || !window_.window().all() ||
                          scope_.scope() != ReportedScope::kAll;
    if (filtered || inputs_.json()) return std::nullopt;
    if (last_) return RowsWanted{PartToLoad::End::kLast, *last_};
    if (limit() == 0) return std::nullopt;
    return RowsWanted{PartToLoad::End::kFirst, limit()};
  }

  ShownRows choose(const RowsAtEnd& found) const {
    absl::Span<const MatchRow> rows = absl::MakeSpan(found.table().rows);
    const std::size_t all = rows.size();
    if (last_) rows = rows.last(std::min(*last_, rows.size()));
    if (limit() > 0) rows = rows.first(std::min(limit(), rows.size()));
    ShownRows shown;
    shown.rows = rows;
    if (found.hasAll()) shown.left_out = all - rows.size();
    return shown;
  }

  Inputs inputs_;
  std::string ranks_;
  std::vector<std::string> groups_;
  std::vector<std::string> ops_;
  ScopeOption scope_;
  WindowOption window_;
  bool stacks_ = false;
  bool values_ = false;
  std::optional<std::size_t> last_;
  std::optional<std::size_t> limit_;
};

}  // namespace

std::unique_ptr<Subcommand> makeShow() { return std::make_unique<Show>(); }

}  // namespace traced
