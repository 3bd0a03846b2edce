#include "cli/info/run_info.h"

#include <algorithm>
#include <utility>

#include "analysis/reading/stream_loader.h"

namespace traced {
namespace {

std::vector<std::uint32_t> filesOf(const TraceStream& stream) {
  if (stream.dump_file) return {*stream.dump_file};
  std::vector<std::uint32_t> files;
  for (const ChunkRef& chunk : stream.chunks) {
    if (files.empty() || files.back() != chunk.file) {
      files.push_back(chunk.file);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace

RunInfo gatherInfo(const TraceSet& set) {
  RunInfo info;
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    StreamTable table = loader.load(set.streams[i]);
    info.summary.add(table);
    info.groups.add(table.header.attempt(), table.definitions.groups());

    RunInfo::Rank& rank = info.ranks.emplace_back();
    rank.operations = table.operations.size() - table.simulated;
    rank.files = filesOf(set.streams[i]);
    rank.own_cost = ownCostOf(table, rank.operations);
    info.own_cost.add(rank.own_cost);
    // Their memory, too: `= {}` would keep it.
    table.operations = std::vector<AssembledOperation>();
    table.definitions = {};
    table.header = wholeHeader(set.streams[i]);
    rank.table = std::move(table);
  }
  return info;
}

}  // namespace traced
