#include "cli/info/info.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <utility>

#include "analysis/reading/stream_loader.h"
#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/inputs/inputs.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

class Info : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    app.add_flag("--all", all_, "Show every rank instead of one screen");
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

std::vector<std::uint32_t> filesOf(const TraceStream& stream) {
  if (stream.dump_file) return {*stream.dump_file};
  std::vector<std::uint32_t> files;
  for (const ChunkRef& chunk : stream.chunks) {
    if (files.empty() || files.back() != chunk.file) {
      files.push_back(chunk.file);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace

std::unique_ptr<Subcommand> makeInfo() { return std::make_unique<Info>(); }

void OwnCost::add(const OwnCost& other) {
  samples += other.samples;
  sampled_ns += other.sampled_ns;
  operations += other.operations;
  total_ns += other.total_ns;
  run_ns += other.run_ns;
}

OwnCost ownCostOf(const StreamTable& rank, std::uint64_t operations) {
  OwnCost cost;
  for (const std::uint64_t count : rank.accounts.own_time_log2_ns()) {
    cost.samples += count;
  }
  if (cost.samples == 0) return {};
  cost.sampled_ns = rank.accounts.own_time_total_ns();
  cost.operations = operations;
  cost.total_ns = static_cast<double>(cost.sampled_ns) /
                  static_cast<double>(cost.samples) *
                  static_cast<double>(operations);
  cost.run_ns = static_cast<std::uint64_t>(rank.runNs());
  return cost;
}

RunInfo gatherInfo(const TraceSet& set) {
  RunInfo info;
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    StreamTable table = loader.load(set.streams[i]);
    info.summary.add(table);
    info.groups.add(table.header.attempt(), table.definitions.groups());

    RunInfo::Rank& rank = info.ranks.emplace_back();
    rank.operations = table.operations.size() - table.simulated;
    rank.files = filesOf(set.streams[i]);
    rank.own_cost = ownCostOf(table, rank.operations);
    info.own_cost.add(rank.own_cost);
    // Frees the memory, too: `= {}` would keep the capacity.
    table.operations = std::vector<AssembledOperation>();
    table.definitions = {};
    table.header = wholeHeader(set.streams[i]);
    rank.table = std::move(table);
  }
  return info;
}

}  // namespace traced
