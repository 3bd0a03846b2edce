#include "analysis/stream_selection.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

using Run = std::tuple<std::string, std::uint32_t, std::uint32_t>;

Run runOf(const v1::Header& header) {
  return {header.job(), header.attempt(), header.world_size()};
}

bool startedEarlier(const TraceStream& a, const TraceStream& b) {
  return a.header.started().realtime_ns() < b.header.started().realtime_ns();
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
  const Run run = runOf(set.streams[newest].header);
  absl::btree_map<Run, std::size_t> other_runs;
  absl::btree_map<std::uint32_t, std::size_t> older;
  for (const std::size_t i : known) {
    const v1::Header& header = set.streams[i].header;
    // Of one rank, the newest stream comes first.
    if (runOf(header) != run) {
      ++other_runs[runOf(header)];
    } else if (!set.selected.empty() &&
               set.streams[set.selected.back()].header.rank() ==
                   header.rank()) {
      ++older[header.rank()];
    } else {
      set.selected.push_back(i);
    }
  }
  for (const auto& [other, count] : other_runs) {
    const auto& [job, attempt, world_size] = other;
    leaveOut(set, count,
             absl::StrCat("of another run: job \"", job, "\", attempt ",
                          attempt, ", ", world_size, " ranks"));
  }
  for (const auto& [rank, count] : older) {
    leaveOut(set, count,
             absl::StrCat("of rank ", rank, ", older than the one used"));
  }
}

}  // namespace traced
