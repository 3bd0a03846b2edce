#include "analysis/timeline/job_timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/timeline/slices.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

std::vector<NamedSlice> stepsOf(const std::vector<RankTimeline>& ranks) {
  // A rank may repeat a step number. The n-th occurrences of all ranks belong
  // together.
  std::map<std::pair<std::string, std::size_t>, NamedSlice> steps;
  for (const RankTimeline& rank : ranks) {
    std::map<std::string, std::size_t> times;
    for (const NamedSlice& step : rank.steps) {
      const auto [place, is_new] =
          steps.try_emplace({step.name, times[step.name]++}, step);
      if (is_new) continue;
      NamedSlice& whole = place->second;
      whole.begin_ns = std::min(whole.begin_ns, step.begin_ns);
      whole.end_ns = std::max(whole.end_ns, step.end_ns);
    }
  }
  std::vector<NamedSlice> slices;
  for (auto& [key, step] : steps) {
    step.time.reset();  // of one rank
    slices.push_back(std::move(step));
  }
  placeInLanes(slices);
  return slices;
}

std::vector<JobTimeline::Latest> latestOf(const JobView& view) {
  std::vector<JobTimeline::Latest> all;
  const MatchTable& matched = view.matched();
  for (std::uint32_t row = 0; row < matched.rows.size(); ++row) {
    const auto latest = view.latestOf(matched.rows[row]);
    const bool shown = latest && isShowable(latest->before_ns) &&
                       isShowable(latest->ready_ns) &&
                       latest->before_ns <= latest->ready_ns;
    if (shown) all.push_back({row, *latest});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.latest.before_ns, a.latest.ready_ns, a.row) <
           std::tuple(b.latest.before_ns, b.latest.ready_ns, b.row);
  });
  Lanes lanes;
  for (auto& one : all) {
    one.lane = lanes.place(one.latest.before_ns, one.latest.ready_ns);
  }
  return all;
}

// Samples the error between a stream's first and last instant.
JobTimeline::ClockError errorOf(const v1::ClockModel& clock,
                                const StreamTable& table) {
  constexpr std::int64_t kInstants = 128;
  JobTimeline::ClockError error{
      table.header.host(), clockNameOf(table.header), {}};
  const std::int64_t begin_ns = table.header.started().monotonic_ns();
  const std::int64_t end_ns =
      table.last.known() ? std::max(table.last.ns(), begin_ns) : begin_ns;
  const std::int64_t step_ns =
      std::max<std::int64_t>((end_ns - begin_ns) / kInstants, 1);
  if (!isShowable(begin_ns) || !isShowable(end_ns)) return error;
  for (std::int64_t at = begin_ns; at <= end_ns; at += step_ns) {
    const auto certified = certifiedNs(clock, at);
    const std::int64_t common = commonNs(clock, at);
    if (!certified || !isShowable(common)) continue;
    const std::int64_t off_ns =
        std::max(wrappingDifference(certified->high_ns, common),
                 wrappingDifference(common, certified->low_ns));
    error.within_ns.emplace_back(
        common, static_cast<std::uint64_t>(std::max<std::int64_t>(off_ns, 0)));
  }
  return error;
}

}  // namespace

std::vector<JobTimeline::ClockError> clockErrorsOf(const JobView& view) {
  std::vector<JobTimeline::ClockError> errors;
  std::set<std::string> seen;
  for (const LoadedRun::Stream& stream : view.run().streams) {
    if (stream.clock.source() == v1::CLOCK_SOURCE_SAME_CLOCK) continue;
    if (!seen.insert(clockNameOf(stream.table.header)).second) continue;
    auto error = errorOf(stream.clock, stream.table);
    if (!error.within_ns.empty()) errors.push_back(std::move(error));
  }
  return errors;
}

JobTimeline jobTimelineOf(const JobView& view,
                          const std::vector<RankTimeline>& ranks) {
  JobTimeline line;
  line.steps = stepsOf(ranks);
  line.latest = latestOf(view);
  line.clocks = clockErrorsOf(view);
  const std::int64_t last_ns =
      isShowable(view.overview().last_ns) ? view.overview().last_ns : 0;
  for (const JobVerdict& verdict : view.diagnosis().verdicts) {
    const std::int64_t at_ns = verdict.since_ns.value_or(last_ns);
    line.verdicts_ns.push_back(isShowable(at_ns) ? at_ns : last_ns);
  }
  return line;
}

}  // namespace traced
