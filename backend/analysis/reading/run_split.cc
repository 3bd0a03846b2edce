#include "analysis/reading/run_split.h"

#include <algorithm>
#include <utility>

#include "analysis/reading/same_run.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

std::int64_t startedNs(const TraceStream& stream) {
  return stream.header.started().realtime_ns();
}

// Removes the elements for which `stays` is false, and returns them.
template <typename Stays>
std::vector<std::size_t> takeOut(std::vector<std::size_t>& streams,
                                 Stays stays) {
  std::vector<std::size_t> out;
  std::erase_if(streams, [&](std::size_t i) {
    if (stays(i)) return false;
    out.push_back(i);
    return true;
  });
  return out;
}

// Returns whether each rank has one stream and all began within a minute. Then
// no other run exists, and no stream needs to be read to find out.
bool isPlainlyOneRun(const TraceSet& set, std::size_t newest,
                     const std::vector<std::size_t>& streams) {
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  const std::int64_t newest_ns = startedNs(set.streams[newest]);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const TraceStream& stream = set.streams[streams[i]];
    if (wrappingDifference(newest_ns, startedNs(stream)) > kMinuteNs) {
      return false;
    }
    // Streams are sorted by rank.
    if (i > 0 &&
        set.streams[streams[i - 1]].header.rank() == stream.header.rank()) {
      return false;
    }
  }
  return true;
}

// The first stream of each rank is the newest.
void keepNewest(const TraceSet& set, const std::vector<std::size_t>& streams,
                StreamEnds& ends, RunSplit& split) {
  for (const std::size_t i : streams) {
    const TraceStream& stream = set.streams[i];
    const TraceStream* used =
        split.run.empty() ? nullptr : &set.streams[split.run.back()];
    if (!used || used->header.rank() != stream.header.rank()) {
      split.run.push_back(i);
    } else if (wentOnBeside(stream, *used, ends)) {
      split.beside.push_back(i);
    } else {
      split.older.push_back(i);
    }
  }
}

// Returns the first and the last start of the streams, by wall clocks.
std::pair<std::int64_t, std::int64_t> beginnings(
    const TraceSet& set, const std::vector<std::size_t>& streams) {
  std::pair span{startedNs(set.streams[streams.front()]),
                 startedNs(set.streams[streams.front()])};
  for (const std::size_t i : streams) {
    const std::int64_t ns = startedNs(set.streams[i]);
    span = {std::min(span.first, ns), std::max(span.second, ns)};
  }
  return span;
}

// Returns whether the streams beside the run form an earlier run, by the order
// of starts. Each has all ranks, all of theirs began before all of this run,
// and the time between is longer than within either.
bool besideBeganFirst(const TraceSet& set, const RunSplit& split) {
  const std::uint32_t ranks =
      set.streams[split.run.front()].header.world_size();
  if (split.run.size() != ranks || split.beside.size() != ranks ||
      !split.earlier.empty() || !split.older.empty()) {
    return false;
  }
  const auto [first, last] = beginnings(set, split.beside);
  const auto [own_first, own_last] = beginnings(set, split.run);
  const std::int64_t between = wrappingDifference(own_first, last);
  if (between <= wrappingDifference(last, first) ||
      between <= wrappingDifference(own_last, own_first)) {
    return false;
  }
  return std::all_of(
      split.beside.begin(), split.beside.end(), [&](std::size_t before) {
        return std::all_of(
            split.run.begin(), split.run.end(), [&](std::size_t i) {
              return beganBefore(set.streams[before], set.streams[i]);
            });
      });
}

}  // namespace

std::vector<std::size_t> RunSplit::others() const {
  std::vector<std::size_t> all;
  for (const auto* part : {&elsewhere, &earlier, &older, &beside}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

RunSplit splitNewestRun(const TraceSet& set, std::vector<std::size_t> streams,
                        StreamEnds& ends) {
  const std::size_t newest = *std::max_element(
      streams.begin(), streams.end(), [&set](std::size_t a, std::size_t b) {
        return startedNs(set.streams[a]) < startedNs(set.streams[b]);
      });
  const v1::Header& own = set.streams[newest].header;
  RunSplit split;
  split.elsewhere = takeOut(streams, [&](std::size_t i) {
    const v1::Header& header = set.streams[i].header;
    return haveOneName(header, own) && metInOnePlace(header, own);
  });
  if (!isPlainlyOneRun(set, newest, streams)) {
    RunStart start(set, streams, newest, ends);
    split.earlier = takeOut(
        streams, [&](std::size_t i) { return !start.isAfter(set.streams[i]); });
  }
  keepNewest(set, streams, ends, split);
  split.beside_began_first = besideBeganFirst(set, split);
  return split;
}

}  // namespace traced
