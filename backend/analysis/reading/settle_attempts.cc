#include "analysis/reading/settle_attempts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/reading/same_run.h"
#include "analysis/reading/started_together.h"
#include "analysis/reading/stream_end.h"
#include "analysis/stream/clock_models.h"
#include "trace_io/chunk_format.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

using Streams = std::vector<std::size_t>;
// Job, run id of its launcher, and rendezvous port and address.
using Place = std::tuple<std::string, std::string, std::uint32_t, std::string>;
// Launches of each launcher, in order.
using Launchers = std::vector<std::vector<Started>>;

// Returns nullopt if no launcher counted attempts, or if it is unknown which
// launchers belong together.
std::optional<Place> placeOf(const v1::Header& header) {
  const v1::Rendezvous& met = header.rendezvous();
  const std::string address = met.run_id().empty() ? met.address() : "";
  if (header.schema() != kSchema || met.launcher().empty() ||
      !hasRendezvous(met)) {
    return std::nullopt;
  }
  return Place{header.job(), met.run_id(), met.port(), address};
}

// Returns whether attempts differ or several starts are possible. Two streams
// of one process are no restart.
bool needSettling(const TraceSet& set, const Streams& streams) {
  absl::flat_hash_set<std::uint32_t> ranks;
  absl::flat_hash_set<std::uint32_t> attempts;
  absl::flat_hash_set<std::pair<std::string, std::int64_t>> processes;
  for (const std::size_t i : streams) {
    const v1::Header& header = set.streams[i].header;
    ranks.insert(header.rank());
    attempts.insert(header.attempt());
    processes.emplace(header.rendezvous().launcher(), header.pid());
  }
  return processes.size() == streams.size() &&
         (attempts.size() > 1 || ranks.size() < streams.size());
}

Started startedOf(const TraceSet& set, std::size_t i, StreamEnds& ends) {
  const TraceStream& stream = set.streams[i];
  Started started{.attempt = stream.header.attempt(),
                  .least_attempt = stream.header.attempt(),
                  .world_size = stream.header.world_size(),
                  .ranks = {stream.header.rank()},
                  .streams = {i},
                  .begin_ns = stream.header.started().realtime_ns()};
  if (stream.ring == RingState::kAlive) return started;
  if (const std::optional<StreamEnd>& end = ends.of(stream)) {
    started.end_ns =
        wrappingSum(end->anchor.realtime_ns(), silenceNs(stream, *end));
  }
  return started;
}

Launchers launchersOf(const TraceSet& set, const Streams& streams,
                      StreamEnds& ends) {
  absl::btree_map<std::pair<std::string, std::string>, std::vector<Started>>
      ranks;
  for (const std::size_t i : streams) {
    const v1::Header& header = set.streams[i].header;
    ranks[{header.rendezvous().launcher(), clockNameOf(header)}].push_back(
        startedOf(set, i, ends));
  }
  Launchers launchers;
  for (auto& [name, own] : ranks) {
    launchers.push_back(launchesOf(std::move(own)));
  }
  return launchers;
}

// Separates launchers that ran one after another: they belong to different
// jobs, because the same command was run again.
std::vector<Launchers> besideEachOther(Launchers launchers) {
  std::stable_sort(launchers.begin(), launchers.end(),
                   [](const auto& a, const auto& b) {
                     return a.front().begin_ns < b.front().begin_ns;
                   });
  std::vector<Launchers> jobs;
  std::int64_t end_ns = 0;
  for (std::vector<Started>& launches : launchers) {
    if (jobs.empty() || launches.front().begin_ns > end_ns) jobs.emplace_back();
    end_ns = std::max(end_ns, launches.back().end_ns);
    jobs.back().push_back(std::move(launches));
  }
  return jobs;
}

void settle(TraceSet& set, const Launchers& launchers) {
  const Starts starts = startsOf(launchers);
  std::uint32_t least = 0;
  for (const Started& start : starts.each) {
    const std::uint32_t attempt = std::max(start.attempt, least);
    for (const std::size_t i : start.streams) {
      set.streams[i].header.set_attempt(attempt);
      set.streams[i].start_by_clock = starts.by_clock;
    }
    least = attempt + 1;
  }
}

}  // namespace

void settleAttempts(TraceSet& set) {
  StreamEnds ends(set);
  settleNamedStarts(set, ends);
  absl::btree_map<Place, Streams> places;
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const std::optional<Place> place = placeOf(set.streams[i].header);
    if (place) places[*place].push_back(i);
  }
  for (auto& [place, streams] : places) {
    if (!needSettling(set, streams)) continue;
    const auto named = std::erase_if(streams, [&set](std::size_t i) {
      return isOfNamedStart(set.streams[i].header);
    });
    for (const Launchers& launchers :
         besideEachOther(launchersOf(set, streams, ends))) {
      if (launchers.size() > 1) settle(set, launchers);
    }
    if (named == 0) continue;
    // It is unknown to which named start these belong.
    for (const std::size_t i : streams) set.streams[i].start_by_clock = true;
  }
}

}  // namespace traced
