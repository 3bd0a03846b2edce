#include "analysis/compare/measure_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/budget/budget_builder.h"
#include "analysis/budget/coverage.h"
#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/compare/figure_sums.h"
#include "analysis/compare/group_identity.h"
#include "analysis/compare/run_facts.h"
#include "analysis/compare/wait_ends.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/report/batch_sizes.h"
#include "analysis/stream/call_text.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"
#include "analysis/time_split/time_split.h"

namespace traced {
namespace {

std::optional<double> asDouble(const std::optional<std::uint64_t>& ns) {
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns);
}

std::optional<double> asDouble(const std::optional<CertifiedTime>& time) {
  if (!time) return std::nullopt;
  return static_cast<double>(notBelowZero(time->ns));
}

OperationTimes timesOf(const AssembledOperation& op,
                       const OperationSplit& split) {
  OperationTimes times;
  const auto set = [&times](RunPart part, std::optional<double> ns) {
    times.parts[static_cast<std::size_t>(part)] = ns;
  };
  set(RunPart::kOwnCall, asDouble(between(op.issued, op.returned)));
  set(RunPart::kWaitForPeers, asDouble(split.wait_for_peers));
  set(RunPart::kTransfer, asDouble(split.transfer));
  set(RunPart::kExposed, asDouble(split.exposed_ns));
  times.ahead = asDouble(between(op.returned, op.wait_began));
  times.under_way = asDouble(between(op.issued, op.ended));
  if (split.wait_for_peers) {
    times.uncertain = static_cast<double>(offByNs(*split.wait_for_peers));
  }
  return times;
}

// Adds up the operations of one stream.
class StreamSums {
 public:
  StreamSums(const ArrivalTable::Stream& stream, const ArrivalTable& arrivals,
             const std::vector<std::uint32_t>& groups,
             const std::vector<std::string>& identities,
             const Stretches& stretches, FigureSums& sums)
      : stream_(stream),
        table_(stream.table),
        arrivals_(arrivals, stream),
        groups_(groups),
        identities_(identities),
        stretches_(stretches),
        sums_(sums),
        batches_(table_),
        wait_ends_(table_) {}

  // Returns how many operations failed.
  std::uint64_t addAll() {
    std::uint64_t failed = 0;
    for (std::size_t i = 0; i < table_.operations.size(); ++i) {
      const AssembledOperation& op = table_.operations[i];
      const v1::Call* call = table_.callOf(op);
      if (call && call->simulated()) continue;
      failed += op.failed;
      const auto stretch = stretches_.of(table_, op);
      if (stretch) add(i, op, call, *stretch);
    }
    return failed;
  }

 private:
  void add(std::size_t i, const AssembledOperation& op, const v1::Call* call,
           std::uint32_t stretch) {
    const std::uint64_t batch_bytes = bytesOfBatch(op);
    const auto key = keyOf(op, call, batch_bytes);
    if (!key) return;
    const OperationSplit split = splitTime(arrivals_, i);
    const std::uint64_t bytes =
        call ? std::max(call->bytes_in(), call->bytes_out()) : 0;
    sums_.add(*key, stretch, bytes, timesOf(op, split));
    if (split.likely_arrival && split.likely_arrival->is_last) {
      const MatchedCall* matched = stream_.calls.of(op);
      const double others = matched ? matched->group_size - 1.0 : 1.0;
      sums_.addCaused(
          *key, table_.header.rank(),
          others * static_cast<double>(split.likely_arrival->behind_ns));
    }
    sums_.addComputed(*key, table_.header.rank(),
                      asDouble(wait_ends_.untilIssue(op)));
    if (op.stack > 0) sums_.addSite(*key, siteOf(op));
  }

  std::uint64_t bytesOfBatch(const AssembledOperation& op) const {
    const BatchSize* batch = batches_.of(table_, op);
    return batch ? batch->message_bytes : 0;
  }

  std::optional<std::uint32_t> keyOf(const AssembledOperation& op,
                                     const v1::Call* call,
                                     std::uint64_t batch_bytes) {
    const auto [place, is_new] =
        keys_.try_emplace({op.call, batch_bytes}, std::nullopt);
    if (!is_new && place->second) return place->second;
    place->second =
        sums_.keyOf(call ? keyOf(*call, batch_bytes)
                         : RunKey{kUnknownOperation, "-", "-", "-"});
    return place->second;
  }

  RunKey keyOf(const v1::Call& call, std::uint64_t batch_bytes) const {
    const std::uint32_t local = table_.groupOf(call);
    const bool known = local != StreamDefinitions::kNone;
    const std::uint32_t members =
        known ? table_.definitions.groups()[local].members.size() : 0;
    return {nameOf(call.op()), known ? identities_[groups_[local]] : "-",
            dtypeText(call),
            sizeBucket(batch_bytes > 0 ? batch_bytes
                                       : messageBytes(call, members))};
  }

  const std::string& siteOf(const AssembledOperation& op) {
    const auto [place, is_new] = sites_.try_emplace(op.stack);
    if (is_new) place->second = table_.siteOf(op);
    return place->second;
  }

  const ArrivalTable::Stream& stream_;
  const StreamTable& table_;
  const ArrivalRows arrivals_;
  const std::vector<std::uint32_t>& groups_;
  const std::vector<std::string>& identities_;
  const Stretches& stretches_;
  FigureSums& sums_;
  const BatchSizes batches_;
  const WaitEnds wait_ends_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>,
                      std::optional<std::uint32_t>>
      keys_;
  absl::flat_hash_map<std::uint32_t, std::string> sites_;
};

}  // namespace

RunFigures measureRun(const TraceSet& set, const std::string& name,
                      std::optional<StepRange> steps) {
  RunFigures figures;
  figures.name = name;
  const std::vector<std::uint32_t> clock_ids = clockIds(set);
  GroupCatalog groups;
  RunSummary summary;
  RunFacts facts;
  const std::size_t threads = readingThreads(set);
  ArrivalTable arrivals(threads);
  std::optional<Stretches> stretches;
  std::optional<Coverage> coverage;
  AlignedClocks clocks = readAligned(
      set, threads,
      [&](std::size_t i, const StreamTable& table,
          const v1::ClockModel& clock) {
        if (!stretches) {
          const StepRange range = steps.value_or(usualSteps(table.marks));
          stretches.emplace(range);
          coverage.emplace(std::vector<StepRange>{range});
          figures.steps = range.text();
          figures.stepped = stretches->stepped();
        }
        stretches->add(table);
        coverage->add(table);
        summary.add(table);
        facts.add(table, wholeHeader(set.streams[i]));
        const std::vector<std::uint32_t> indices =
            groups.add(table.header.attempt(), table.definitions.groups());
        arrivals.add(OwnArrivals(table, indices), clock, clock_ids[i]);
      });
  const std::vector<std::string> identities = groupIdentities(groups);
  FigureSums sums;
  std::uint64_t failed = 0;
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    const std::vector<std::uint32_t> indices =
        groups.add(table.header.attempt(), table.definitions.groups());
    const ArrivalTable::Stream stream(table, clocks.models[i], clock_ids[i],
                                      indices);
    failed +=
        StreamSums(stream, arrivals, indices, identities, *stretches, sums)
            .addAll();
  });
  if (stretches) sums.finish(*stretches, figures);
  if (coverage) figures.gaps = coverage->gaps(set, summary);
  if (failed > 0) {
    figures.gaps.push_back(absl::StrCat(failed, " operations failed"));
  }
  for (const std::string& warning : clocks.warnings) {
    figures.gaps.push_back(warning);
  }
  if (figures.keys.empty()) {
    figures.gaps.push_back(
        absl::StrCat("no operations in steps ", figures.steps));
  }
  figures.world_size = summary.worldSize();
  figures.layouts = groupLayouts(groups);
  facts.finish(figures);
  return figures;
}

}  // namespace traced
