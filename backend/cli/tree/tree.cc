#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "analysis/clocks/align_clocks.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/complain.h"
#include "cli/common/part_options.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "cli/tree/tree_output.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

constexpr char kAllRanks[] = "all";

std::string isRankOrAll(const std::string& text) {
  std::uint32_t rank = 0;
  if (text == kAllRanks || absl::SimpleAtoi(text, &rank)) return "";
  return "expected a rank, or all";
}

ModuleTree::Detail detailOf(int level) {
  if (level < 2) return ModuleTree::Detail::kByOperation;
  return level == 2 ? ModuleTree::Detail::kByCall
                    : ModuleTree::Detail::kByShape;
}

// Clock models, needed only to select a time window.
struct Clocks {
  std::vector<v1::ClockModel> models;
  std::int64_t first_ns = 0;
};

Clocks clocksOf(const TraceSet& set, const RunWindow& window) {
  Clocks clocks;
  if (!window.since_ns && !window.until_ns) {
    clocks.models.resize(set.streams.size());
    return clocks;
  }
  clocks.models = alignClocks(set).models;
  clocks.first_ns = firstStartNs(set, clocks.models);
  return clocks;
}

class TreeCommand : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    window_.declare(app);
    app.add_option(
           "--rank", rank_,
           "The rank whose operations are shown (default the lowest), or all")
        ->check(isRankOrAll);
    app.add_option("--level", level_,
                   "0: modules; 1: and their operations; 2: and groups, sizes "
                   "and times; 3: each shape")
        ->check(CLI::Range(0, 3))
        ->capture_default_str();
    app.footer("Example: tracectl tree run42/ --rank all --level 2");
  }

  ExitCode run() override {
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    ModuleTree tree(detailOf(level_));
    TreeOutput output{inputs_.title(), *set, tree, {}, {}, level_};
    output.window = window_.window();
    const Clocks clocks = clocksOf(*set, output.window);
    StreamLoader loader(*set);
    for (const std::size_t i : set->selected) {
      StreamTable table = loader.load(set->streams[i]);
      output.summary.add(table);
      if (!isWanted(table.header.rank(), output.ranks)) continue;
      output.ranks.push_back(table.header.rank());
      if (!output.window.all()) {
        const WindowFilter filter(output.window, table, clocks.models[i],
                                  clocks.first_ns);
        output.out_of_window += cutTo(filter, table);
      }
      tree.add(table);
    }
    if (output.ranks.empty()) return reportUnknownRank(*set);
    tree.finish();
    write(output);
    return inputs_.conclude(allWarnings(*set, output.summary));
  }

 private:
  // Returns true if the rank is selected. Streams are sorted by rank.
  bool isWanted(std::uint32_t rank,
                const std::vector<std::uint32_t>& found) const {
    if (rank_.empty()) return found.empty();
    std::uint32_t number = 0;
    return !absl::SimpleAtoi(rank_, &number) || rank == number;
  }

  ExitCode reportUnknownRank(const TraceSet& set) const {
    std::vector<std::uint32_t> ranks;
    for (const std::size_t i : set.selected) {
      ranks.push_back(set.streams[i].header.rank());
    }
    complain(absl::StrCat("no trace of rank ", rank_, ", but of ranks ",
                          RankList::fromRanks(ranks).text()));
    return ExitCode::kUsage;
  }

  void write(const TreeOutput& output) const {
    if (inputs_.json()) {
      writeJson(std::cout, treeJson(output));
      std::cout << "\n";
      return;
    }
    std::cout << treeText(output, wantsColours());
  }

  Inputs inputs_;
  WindowOption window_;
  std::string rank_;
  int level_ = 1;
};

}  // namespace

std::unique_ptr<Subcommand> makeTree() {
  return std::make_unique<TreeCommand>();
}

}  // namespace traced
