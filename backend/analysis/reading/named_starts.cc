#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/reading/same_run.h"
#include "analysis/reading/settle_attempts.h"
#include "analysis/stream/clock_models.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

using Streams = std::vector<std::size_t>;
// Job and name of a start.
using Name = std::pair<std::string, std::string>;
// Name of a launcher, and its clock.
using Launcher = std::pair<std::string, std::string>;

struct Start {
  std::uint32_t attempt = 0;
  // Start of its first rank, by wall clock.
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  Streams streams;
  // Starts that a launcher of this one began next.
  std::vector<std::size_t> next;
  // Number of starts that must precede this one.
  std::size_t before = 0;
};

Name nameOf(const v1::Header& header) {
  return {header.job(), header.rendezvous().start()};
}

// Returns whether a rank or a process has two of the streams.
bool isAmbiguous(const TraceSet& set, const Streams& streams) {
  absl::flat_hash_set<std::uint32_t> ranks;
  absl::flat_hash_set<std::pair<std::string, std::int64_t>> processes;
  return !std::all_of(streams.begin(), streams.end(), [&](std::size_t i) {
    const v1::Header& header = set.streams[i].header;
    return ranks.insert(header.rank()).second &&
           processes.emplace(clockNameOf(header), header.pid()).second;
  });
}

void removeDoubtfulNames(TraceSet& set, StreamEnds& ends) {
  absl::btree_map<Name, Streams> starts;
  // number of start names per job
  absl::btree_map<std::string, std::size_t> names;
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const v1::Header& header = set.streams[i].header;
    if (header.rendezvous().start().empty()) continue;
    Streams& streams = starts[nameOf(header)];
    if (streams.empty()) ++names[header.job()];
    streams.push_back(i);
  }
  for (const auto& [name, streams] : starts) {
    const bool ambiguous = isAmbiguous(set, streams);
    for (const std::size_t i : streams) {
      TraceStream& stream = set.streams[i];
      // With a single start, no stream needs to be read.
      const auto& end = names[name.first] > 1 ? ends.of(stream) : std::nullopt;
      if (ambiguous || (end && end->several_starts)) {
        stream.header.mutable_rendezvous()->clear_start();
      }
    }
  }
}

// Numbers starts in the order of each launcher, and by wall clock where that
// leaves a choice.
void number(TraceSet& set, std::vector<Start>& starts) {
  absl::btree_set<std::pair<std::int64_t, std::size_t>> ready;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i].before == 0) ready.emplace(starts[i].begin_ns, i);
  }
  std::uint32_t least = 0;
  while (!ready.empty()) {
    const Start& start = starts[ready.begin()->second];
    ready.erase(ready.begin());
    const std::uint32_t attempt = std::max(start.attempt, least);
    for (const std::size_t i : start.streams) {
      set.streams[i].header.set_attempt(attempt);
    }
    least = attempt + 1;
    for (const std::size_t next : start.next) {
      if (--starts[next].before == 0) {
        ready.emplace(starts[next].begin_ns, next);
      }
    }
  }
}

// Jobs groups the streams of launchers that share a start.
class Jobs {
 public:
  explicit Jobs(const TraceSet& set) {
    for (std::size_t i = 0; i < set.streams.size(); ++i) {
      const v1::Header& header = set.streams[i].header;
      if (isOfNamedStart(header)) add(i, header);
    }
  }

  std::vector<Streams> take() {
    absl::btree_map<std::size_t, Streams> jobs;
    for (const auto& [stream, launcher] : launcher_of_) {
      jobs[rootOf(launcher)].push_back(stream);
    }
    std::vector<Streams> all;
    for (auto& [root, streams] : jobs) all.push_back(std::move(streams));
    return all;
  }

 private:
  void add(std::size_t stream, const v1::Header& header) {
    const Launcher name{header.rendezvous().launcher(), clockNameOf(header)};
    const auto [place, is_new] =
        launchers_.try_emplace({header.job(), name}, parents_.size());
    if (is_new) parents_.push_back(parents_.size());
    const std::size_t launcher = place->second;
    launcher_of_.emplace_back(stream, launcher);
    const auto first = starts_.try_emplace(nameOf(header), launcher).first;
    parents_[rootOf(launcher)] = rootOf(first->second);
  }

  std::size_t rootOf(std::size_t launcher) {
    while (parents_[launcher] != launcher) {
      launcher = parents_[launcher] = parents_[parents_[launcher]];
    }
    return launcher;
  }

  absl::btree_map<std::pair<std::string, Launcher>, std::size_t> launchers_;
  absl::btree_map<Name, std::size_t> starts_;
  std::vector<std::size_t> parents_;
  std::vector<std::pair<std::size_t, std::size_t>> launcher_of_;
};

std::vector<Start> startsOf(const TraceSet& set, const Streams& streams) {
  absl::btree_map<Name, std::size_t> numbers;
  std::vector<Start> starts;
  // Sorted by each launcher's own clock.
  absl::btree_map<Launcher,
                  absl::btree_set<std::pair<std::int64_t, std::size_t>>>
      launches;
  for (const std::size_t i : streams) {
    const v1::Header& header = set.streams[i].header;
    const auto [place, is_new] =
        numbers.try_emplace(nameOf(header), starts.size());
    if (is_new) starts.emplace_back();
    Start& start = starts[place->second];
    start.attempt = std::max(
        {start.attempt, header.attempt(), header.rendezvous().start_attempt()});
    start.begin_ns = std::min(start.begin_ns, header.started().realtime_ns());
    start.streams.push_back(i);
    launches[{header.rendezvous().launcher(), clockNameOf(header)}].emplace(
        header.started().monotonic_ns(), place->second);
  }
  for (const auto& [launcher, order] : launches) {
    for (auto one = order.begin(); one != order.end(); ++one) {
      const auto next = std::next(one);
      if (next == order.end() || next->second == one->second) continue;
      starts[one->second].next.push_back(next->second);
      ++starts[next->second].before;
    }
  }
  return starts;
}

bool hasCycle(std::vector<Start> starts) {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i].before == 0) ready.push_back(i);
  }
  std::size_t reached = 0;
  for (; reached < ready.size(); ++reached) {
    for (const std::size_t next : starts[ready[reached]].next) {
      if (--starts[next].before == 0) ready.push_back(next);
    }
  }
  return reached < starts.size();
}

}  // namespace

bool isOfNamedStart(const v1::Header& header) {
  return header.schema() == kSchema && !header.rendezvous().start().empty() &&
         !header.rendezvous().launcher().empty();
}

void settleNamedStarts(TraceSet& set, StreamEnds& ends) {
  removeDoubtfulNames(set, ends);
  for (const Streams& job : Jobs(set).take()) {
    std::vector<Start> starts = startsOf(set, job);
    // A cycle means that launchers contradict each other, so their headers are
    // damaged.
    if (!hasCycle(starts)) number(set, starts);
  }
}

}  // namespace traced
