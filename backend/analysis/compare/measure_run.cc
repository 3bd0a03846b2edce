#include "analysis/compare/measure_run.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/budget/budget_builder.h"
#include "analysis/budget/coverage.h"
#include "analysis/compare/compare_limits.h"
#include "analysis/compare/figure_sums.h"
#include "analysis/compare/group_identity.h"
#include "analysis/compare/run_facts.h"
#include "analysis/compare/stream_sums.h"
#include "analysis/compare/stretches.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/run_ready_times.h"

namespace traced {
namespace {

// Sums over all streams of a run.
struct RunData {
  explicit RunData(StepRange steps) : coverage({steps}) {}

  void add(const StreamTable& table, const v1::Header& header,
           const StreamSums::Sums& sums) {
    coverage.add(table);
    summary.add(table);
    facts.add(table, header);
    figures.add(sums.figures);
    failed += sums.failed;
  }

  Coverage coverage;
  RunSummary summary;
  RunFacts facts;
  FigureSums figures;
  std::uint64_t failed = 0;
};

// Reads the selected streams for the second time.
RunData readAgain(const TraceSet& set, const RunReadyTimes& run,
                  StepRange steps, const Stretches& stretches) {
  const std::vector<std::string> identities = groupIdentities(run.groups);
  RunData data(steps);
  workOnStreams(set, set.selected, readingThreads(set),
                [&](std::size_t, std::size_t i, StreamTable& table) {
                  const ReadyTable::Stream stream(table, run.clocks.models[i],
                                                  run.clock_ids[i],
                                                  run.groups_of[i]);
                  const auto sums = std::make_shared<StreamSums::Sums>(
                      StreamSums(stream, run.ready_times, run.groups_of[i],
                                 identities, stretches)
                          .addAll());
                  return [&, sums, i] {
                    data.add(table, wholeHeader(set.streams[i]), *sums);
                  };
                });
  return data;
}

std::vector<Gap> gapsOf(const TraceSet& set, const RunReadyTimes& run,
                        const RunData& data) {
  using What = MissingPart::What;
  std::vector<Gap> gaps = data.coverage.gaps(set, data.summary);
  if (data.failed > 0) {
    gaps.emplace_back(MissingPart{What::kFailed, data.failed, "", {}});
  }
  if (const std::uint64_t count = data.figures.leftOut()) {
    gaps.emplace_back(MissingPart{What::kKinds, count, "", {}});
  }
  gaps.insert(gaps.end(), run.clocks.warnings.begin(),
              run.clocks.warnings.end());
  return gaps;
}

}  // namespace

RunFigures measureRun(const TraceSet& set, const std::string& name,
                      std::optional<StepRange> steps) {
  std::optional<Stretches> stretches;
  const RunReadyTimes run =
      readReadyTimes(set, [&](std::size_t, const StreamTable& table) {
        if (!steps) steps = usualSteps(table.marks);
        if (!stretches) stretches.emplace(*steps);
        std::vector<Stretches::OwnStep> own = stretches->ownSteps(table);
        const std::size_t bytes = own.size() * sizeof(own[0]);
        return KeptOfStream{bytes, [&stretches, own = std::move(own)](
                                       const auto&) { stretches->add(own); }};
      });
  RunFigures figures;
  figures.name = name;
  if (!stretches) {
    figures.gaps.emplace_back(
        MissingPart{MissingPart::What::kAllRanks, 0, "", {}});
    return figures;
  }
  const RunData data = readAgain(set, run, *steps, *stretches);
  data.figures.finish(*stretches, figures);
  figures.steps = steps->text();
  figures.stepped = stretches->stepped();
  figures.gaps = gapsOf(set, run, data);
  if (figures.keys.empty()) {
    figures.gaps.emplace_back(
        MissingPart{MissingPart::What::kOperations, 0, figures.steps, {}});
  }
  figures.world_size = data.summary.worldSize();
  figures.layouts = groupLayouts(run.groups);
  data.facts.finish(figures);
  return figures;
}

}  // namespace traced
