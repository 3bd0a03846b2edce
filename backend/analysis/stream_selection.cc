#include "analysis/stream_selection.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/same_run.h"
#include "trace_io/chunk_format.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

using Run = std::tuple<std::string, std::uint32_t, std::uint32_t>;

Run runOf(const v1::Header& header) {
  return {header.job(), header.attempt(), header.world_size()};
}

std::int64_t startedNs(const TraceStream& stream) {
  return stream.header.started().realtime_ns();
}

bool startedEarlier(const TraceStream& a, const TraceStream& b) {
  return startedNs(a) < startedNs(b);
}

std::size_t countDumps(const TraceSet& set) {
  return static_cast<std::size_t>(std::count_if(
      set.streams.begin(), set.streams.end(),
      [](const TraceStream& stream) { return stream.dump_file.has_value(); }));
}

void leaveOut(TraceSet& set, std::size_t count, const std::string& which) {
  set.selection_warnings.push_back(absl::StrCat(
      "left out ", count, count == 1 ? " stream " : " streams ", which));
}

// By what their headers tell.
void leaveOutOtherRuns(TraceSet& set, std::size_t newest,
                       std::vector<std::size_t>& streams) {
  const v1::Header& own = set.streams[newest].header;
  absl::btree_map<std::pair<Run, std::string>, std::size_t> others;
  std::erase_if(streams, [&](std::size_t i) {
    const v1::Header& header = set.streams[i].header;
    const bool same_name = runOf(header) == runOf(own);
    if (same_name && metInOnePlace(header, own)) return false;
    ++others[{runOf(header), same_name ? rendezvousText(header) : ""}];
    return true;
  });
  for (const auto& [run, count] : others) {
    const auto& [job, attempt, world_size] = run.first;
    leaveOut(
        set, count,
        absl::StrCat("of another run: job \"", job, "\", attempt ", attempt,
                     ", ", world_size, " ranks",
                     run.second.empty() ? "" : ", which met at ", run.second));
  }
}

// Whether each rank has one stream, and all began within a minute: there is no
// other run, and no stream needs to be read for that.
bool isPlainlyOneRun(const TraceSet& set, std::size_t newest,
                     const std::vector<std::size_t>& streams) {
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  const std::int64_t newest_ns = startedNs(set.streams[newest]);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const TraceStream& stream = set.streams[streams[i]];
    if (wrappingDifference(newest_ns, startedNs(stream)) > kMinuteNs) {
      return false;
    }
    // They are sorted by rank.
    if (i > 0 &&
        set.streams[streams[i - 1]].header.rank() == stream.header.rank()) {
      return false;
    }
  }
  return true;
}

// By when they were recorded.
void leaveOutEarlierRuns(TraceSet& set, std::size_t newest,
                         std::vector<std::size_t>& streams) {
  if (isPlainlyOneRun(set, newest, streams)) return;
  RunStart start(set, streams, newest);
  const std::size_t count = std::erase_if(
      streams, [&](std::size_t i) { return start.isAfter(set.streams[i]); });
  if (count == 0) return;
  leaveOut(set, count,
           "of an earlier run of the same name, which had ended before the "
           "newest began");
}

// Of one rank, the newest stream comes first.
void selectNewest(TraceSet& set, const std::vector<std::size_t>& streams) {
  struct LeftOut {
    std::size_t older = 0;
    std::size_t beside = 0;
  };
  absl::btree_map<std::uint32_t, LeftOut> others;
  StreamLoader loader(set);
  for (const std::size_t i : streams) {
    const TraceStream& stream = set.streams[i];
    const TraceStream* used =
        set.selected.empty() ? nullptr : &set.streams[set.selected.back()];
    if (!used || used->header.rank() != stream.header.rank()) {
      set.selected.push_back(i);
      continue;
    }
    LeftOut& left_out = others[stream.header.rank()];
    ++(wentOnBeside(stream, *used, loader) ? left_out.beside : left_out.older);
  }
  for (const auto& [rank, left_out] : others) {
    const std::string of_rank = absl::StrCat("of rank ", rank);
    if (left_out.older > 0) {
      leaveOut(set, left_out.older, of_rank + ", older than the one used");
    }
    if (left_out.beside > 0) {
      leaveOut(set, left_out.beside,
               of_rank +
                   ", recorded at the same time as the one used: ranks of "
                   "several runs may be mixed here; name the files of one");
    }
  }
}

}  // namespace

void selectStreams(TraceSet& set) {
  const std::size_t dumps = countDumps(set);
  const bool use_dumps = dumps == set.streams.size();
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const TraceStream& stream = set.streams[i];
    if (stream.dump_file && !use_dumps) continue;
    if (stream.header.schema() == kSchema) known.push_back(i);
  }
  const std::size_t usable = set.streams.size() - (use_dumps ? 0 : dumps);
  if (dumps > 0 && !use_dumps) {
    set.selection_warnings.push_back(absl::StrCat(
        "left out ", dumps, " Flight Recorder ", dumps == 1 ? "dump" : "dumps",
        ", because the inputs hold traces too, which tell more; name only the "
        "dumps to read them"));
  }
  if (known.size() < usable) {
    leaveOut(set, usable - known.size(),
             "whose schema this version does not know");
  }
  if (known.empty()) return;

  const std::size_t newest = *std::max_element(
      known.begin(), known.end(), [&set](std::size_t a, std::size_t b) {
        return startedEarlier(set.streams[a], set.streams[b]);
      });
  leaveOutOtherRuns(set, newest, known);
  leaveOutEarlierRuns(set, newest, known);
  selectNewest(set, known);
}

}  // namespace traced
