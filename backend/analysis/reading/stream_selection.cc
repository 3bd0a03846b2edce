#include "analysis/reading/stream_selection.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/reading/run_split.h"
#include "analysis/reading/same_run.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNamedRuns = 3;

std::size_t countDumps(const TraceSet& set) {
  return static_cast<std::size_t>(std::count_if(
      set.streams.begin(), set.streams.end(),
      [](const TraceStream& stream) { return stream.dump_file.has_value(); }));
}

void leaveOut(TraceSet& set, std::size_t count, const std::string& which) {
  set.selection_warnings.push_back(absl::StrCat(
      "left out ", count, count == 1 ? " stream " : " streams ", which));
}

// Describes the run of a stream in contrast to the selected one.
std::string otherRunText(const v1::Header& header, const v1::Header& own) {
  if (mayBeOneJob(header, own) && header.attempt() != own.attempt()) {
    return absl::StrCat("of attempt ", header.attempt(),
                        " of the same job: --attempt ", header.attempt(),
                        " asks about it");
  }
  const std::string met =
      haveOneName(header, own) ? rendezvousText(header) : "";
  return absl::StrCat("of another run: job \"", header.job(), "\", attempt ",
                      header.attempt(), ", ", header.world_size(), " ranks",
                      met.empty() ? "" : ", which met at ", met);
}

// Reports streams of other runs, sorted by job, attempt and world size.
void reportElsewhere(TraceSet& set, const RunSplit& split) {
  using Order = std::tuple<std::string, std::uint32_t, std::uint32_t>;
  const v1::Header& own = set.streams[split.run.front()].header;
  absl::btree_map<std::pair<Order, std::string>, std::size_t> others;
  for (const std::size_t i : split.elsewhere) {
    const v1::Header& header = set.streams[i].header;
    ++others[{{header.job(), header.attempt(), header.world_size()},
              otherRunText(header, own)}];
  }
  std::size_t named = 0;
  std::size_t rest = 0;
  for (const auto& [run, count] : others) {
    if (++named <= kMaxNamedRuns) {
      leaveOut(set, count, run.second);
    } else {
      rest += count;
    }
  }
  if (rest > 0) {
    leaveOut(set, rest,
             absl::StrCat("of ", others.size() - kMaxNamedRuns,
                          " more runs (`tracectl ls` lists them)"));
  }
}

absl::btree_map<std::uint32_t, std::size_t> countByRank(
    const TraceSet& set, const std::vector<std::size_t>& streams) {
  absl::btree_map<std::uint32_t, std::size_t> counts;
  for (const std::size_t i : streams) ++counts[set.streams[i].header.rank()];
  return counts;
}

void reportByClock(TraceSet& set, const RunSplit& split) {
  const bool by_clock = std::any_of(
      split.run.begin(), split.run.end(),
      [&set](std::size_t i) { return set.streams[i].start_by_clock; });
  if (!by_clock) return;
  set.may_mix_runs = true;
  set.selection_warnings.push_back(
      "the traces of some hosts are of more starts of this job than those of "
      "others: only wall clocks show which ranks were started together, and "
      "ranks of two starts may be mixed here; name the files of one");
}

// Returns whether every rank of the run has the same number of older streams.
// Otherwise one rank's stream may span two streams of another rank, and their
// groups are numbered differently.
bool haveEqualHistories(
    const RunSplit& split,
    const absl::btree_map<std::uint32_t, std::size_t>& older) {
  if (older.empty()) return true;
  return older.size() == split.run.size() &&
         std::all_of(older.begin(), older.end(), [&](const auto& entry) {
           return entry.second == older.begin()->second;
         });
}

void reportSameRanks(TraceSet& set, const RunSplit& split) {
  const auto older = countByRank(set, split.older);
  set.may_mix_runs = !split.beside.empty() || !haveEqualHistories(split, older);
  for (const auto& [rank, count] : older) {
    leaveOut(set, count,
             absl::StrCat("of rank ", rank, ", older than the one used"));
  }
  if (split.beside_began_first) {
    leaveOut(
        set, split.beside.size(),
        "of a run of the same name that ran at the same time: each rank has "
        "two streams, and the later ones are used");
    return;
  }
  for (const auto& [rank, count] : countByRank(set, split.beside)) {
    leaveOut(set, count,
             absl::StrCat("of rank ", rank,
                          ", recorded at the same time as the one used: ranks "
                          "of several runs may be mixed here, as the order in "
                          "which they began does not distinguish them; name "
                          "the files of one"));
  }
}

std::vector<std::size_t> usableStreams(const TraceSet& set) {
  const bool use_dumps = countDumps(set) == set.streams.size();
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const TraceStream& stream = set.streams[i];
    if (stream.dump_file && !use_dumps) continue;
    if (stream.header.schema() == kSchema) usable.push_back(i);
  }
  return usable;
}

}  // namespace

void selectStreams(TraceSet& set) {
  const std::size_t dumps = countDumps(set);
  const bool use_dumps = dumps == set.streams.size();
  const std::size_t known = set.streams.size() - (use_dumps ? 0 : dumps);
  if (dumps > 0 && !use_dumps) {
    set.selection_warnings.push_back(absl::StrCat(
        "left out ", dumps, " Flight Recorder ", dumps == 1 ? "dump" : "dumps",
        ", because the inputs hold traces too, which record more; name only "
        "the "
        "dumps to read them"));
  }
  const std::vector<std::size_t> usable = usableStreams(set);
  if (usable.size() < known) {
    leaveOut(set, known - usable.size(),
             "whose schema this version does not know");
  }
  if (usable.empty()) return;

  StreamEnds ends(set);
  RunSplit split = splitNewestRun(set, usable, ends);
  reportElsewhere(set, split);
  if (!split.earlier.empty()) {
    leaveOut(set, split.earlier.size(),
             "of an earlier run of the same name, which had ended before the "
             "newest began");
  }
  reportSameRanks(set, split);
  reportByClock(set, split);
  set.selected = std::move(split.run);
}

namespace {

bool isTrace(const TraceStream& stream) {
  return !stream.dump_file && stream.header.schema() == kSchema;
}

absl::btree_set<std::uint32_t> attemptsOf(const TraceSet& set,
                                          const std::string& job) {
  absl::btree_set<std::uint32_t> attempts;
  for (const TraceStream& stream : set.streams) {
    if (isTrace(stream) && stream.header.job() == job) {
      attempts.insert(stream.header.attempt());
    }
  }
  return attempts;
}

}  // namespace

Result<TraceSet> chooseRun(TraceSet set, const RunChoice& choice) {
  if (!choice.attempt) return set;
  const TraceStream* newest = nullptr;
  for (const TraceStream& stream : set.streams) {
    if (!isTrace(stream)) continue;
    const bool newer = !newest || stream.header.started().realtime_ns() >
                                      newest->header.started().realtime_ns();
    if (newer) newest = &stream;
  }
  if (!newest) return Error{"no traces, so no attempts to choose from"};
  const std::string job = newest->header.job();
  const auto attempts = attemptsOf(set, job);
  if (!attempts.contains(*choice.attempt)) {
    return Error{absl::StrCat(
        "no attempt ", *choice.attempt, " of job \"", job, "\"; there ",
        attempts.size() == 1 ? "is " : "are ", absl::StrJoin(attempts, ", "))};
  }
  std::erase_if(set.streams, [&](const TraceStream& stream) {
    return !isTrace(stream) || stream.header.job() != job ||
           stream.header.attempt() != *choice.attempt;
  });
  return set;
}

std::vector<ChunkRef> latestChunks(const std::vector<ChunkRef>& chunks,
                                   std::uint64_t bytes) {
  std::uint64_t sum = 0;
  auto first = chunks.end();
  while (first != chunks.begin()) {
    sum += std::prev(first)->body_bytes;
    if (sum > bytes && first != chunks.end()) break;
    --first;
  }
  return {first, chunks.end()};
}

void keepLatest(TraceSet& set, std::uint64_t bytes_per_stream) {
  for (TraceStream& stream : set.streams) {
    std::vector<ChunkRef> latest =
        latestChunks(stream.chunks, bytes_per_stream);
    if (latest.size() == stream.chunks.size()) continue;
    stream.chunks = std::move(latest);
    stream.begins_later = true;
  }
}

}  // namespace traced
