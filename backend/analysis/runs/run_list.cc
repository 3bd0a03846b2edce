#include "analysis/runs/run_list.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/reading/run_split.h"
#include "analysis/reading/same_run.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/reading/stream_selection.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

// The last chunks of a stream contain how its process ended.
constexpr std::uint64_t kReadBytes = std::uint64_t{128} << 10;

// The data of a stream that a list needs.
struct Stream {
  ListedRank rank;
  std::int64_t started_ns = 0;
  std::int64_t last_ns = 0;
  std::set<std::string> files;
};

// Adds with saturation: a file can contain any time.
std::int64_t later(std::int64_t from_ns, std::uint64_t by_ns) {
  std::int64_t at_ns = 0;
  return __builtin_add_overflow(from_ns, by_ns, &at_ns)
             ? std::numeric_limits<std::int64_t>::max()
             : at_ns;
}

Stream streamOf(const TraceSet& set, const TraceStream& from,
                const StreamTable& table) {
  const v1::Header& header = table.header;
  Stream stream;
  stream.rank = {header.rank(), table.stillRunning(), processEndOf(table)};
  stream.started_ns = header.started().realtime_ns();
  stream.last_ns = later(stream.started_ns, table.runNs());
  for (const ChunkRef& chunk : from.chunks) {
    const TraceFile& file = set.files[chunk.file];
    if (!file.from_rings) stream.files.insert(file.path);
  }
  return stream;
}

ListedRun runOf(const v1::Header& header) {
  ListedRun run;
  run.job = header.job();
  run.attempt = header.attempt();
  run.world_size = header.world_size();
  return run;
}

void add(ListedRun& run, Stream stream) {
  const bool is_first = run.ranks.empty();
  run.started_ns = is_first ? stream.started_ns
                            : std::min(run.started_ns, stream.started_ns);
  run.last_ns =
      is_first ? stream.last_ns : std::max(run.last_ns, stream.last_ns);
  run.ranks.push_back(std::move(stream.rank));
  run.files += stream.files.size();
  if (run.folder.empty() && !stream.files.empty()) {
    run.folder =
        std::filesystem::path(*stream.files.begin()).parent_path().string();
  }
}

}  // namespace

RunList listRuns(TraceSet& set) {
  keepLatest(set, kReadBytes);
  RunList list;
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const TraceStream& stream = set.streams[i];
    if (stream.dump_file) {
      ++list.dumps;
    } else if (stream.header.schema() != kSchema) {
      ++list.unknown_schema;
    } else {
      known.push_back(i);
    }
  }
  absl::flat_hash_map<std::size_t, Stream> streams;
  readStreams(set, known, readingThreads(set),
              [&](std::size_t i, StreamTable& table) {
                streams[i] = streamOf(set, set.streams[i], table);
              });
  StreamEnds ends(set);
  while (!known.empty()) {
    const RunSplit split = splitNewestRun(set, known, ends);
    ListedRun& run =
        list.runs.emplace_back(runOf(set.streams[split.run.front()].header));
    for (const std::size_t i : split.run) add(run, std::move(streams.at(i)));
    known = split.others();
  }
  return list;
}

std::vector<ListedRun> attemptsOf(const TraceSet& set) {
  if (set.selected.empty()) return {};
  const v1::Header& chosen = set.streams[set.selected.front()].header;
  const auto isOne = [&chosen](const TraceStream& stream) {
    return !stream.dump_file && mayBeOneJob(stream.header, chosen);
  };
  const auto isOther = [&](const TraceStream& stream) {
    return stream.header.attempt() != chosen.attempt() && isOne(stream);
  };
  if (std::none_of(set.streams.begin(), set.streams.end(), isOther)) return {};
  TraceSet attempts;
  attempts.files = set.files;
  std::copy_if(set.streams.begin(), set.streams.end(),
               std::back_inserter(attempts.streams), isOne);
  std::vector<ListedRun> runs = listRuns(attempts).runs;
  absl::flat_hash_set<std::uint32_t> seen;
  std::erase_if(runs, [&](const ListedRun& run) {
    return !seen.insert(run.attempt).second;
  });
  return runs;
}

}  // namespace traced
