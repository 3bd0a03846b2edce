#include "analysis/report/run_ready_times.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "analysis/clocks/aligned_streams.h"
#include "analysis/clocks/clock_summary.h"
#include "analysis/reading/stream_reader.h"

namespace traced {

namespace {

// Limit on what is kept of a host until its clock is aligned.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;

// Data that a stream adds once its clock is known.
struct OwnPart {
  OwnReadyTimes ready_times;
  Instant first;
  Instant last;
};

}  // namespace

RunReadyTimes readReadyTimes(const TraceSet& set, const KeepOfStream& also) {
  RunReadyTimes run;
  const std::size_t threads = readingThreads(set);
  run.ready_times = ReadyTable(threads);
  run.clock_ids = clockIds(set);
  run.groups_of.resize(set.streams.size());
  const auto keep = [&](std::size_t i, const StreamTable& table) {
    run.groups_of[i] =
        run.groups.add(table.header.attempt(), table.definitions.groups());
    const auto own = std::make_shared<OwnPart>(
        OwnPart{OwnReadyTimes(table, run.groups_of[i]), table.first_operation,
                table.last_operation});
    const bool has_steps = !table.marks.steps().empty();
    const KeptOfStream more = also ? also(i, table) : KeptOfStream{};
    return KeptOfStream{
        own->ready_times.bytes() + more.bytes,
        [&run, i, own, has_steps, show = more.show](const auto& clock) {
          run.ready_times.add(own->ready_times, clock, run.clock_ids[i]);
          run.ranks.push_back(own->ready_times.rank());
          run.by_step |= has_steps;
          run.span.add(own->first, own->last, clock);
          if (show) show(clock);
        }};
  };
  run.clocks = readAligned(set, threads, kMaxKeptBytes, keep);
  if (run.ready_times.firstNs() < run.ready_times.lastNs()) {
    run.span.first_ns = run.ready_times.firstNs();
    run.span.last_ns = std::max(run.span.last_ns, run.ready_times.lastNs());
  }
  return run;
}

}  // namespace traced
