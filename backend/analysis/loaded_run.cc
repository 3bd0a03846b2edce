#include "analysis/loaded_run.h"

#include <utility>

#include "analysis/clock_models.h"
#include "analysis/stream_loader.h"

namespace traced {

std::uint32_t LoadedRun::groupOf(const Stream& stream,
                                 const v1::Call& call) const {
  const std::uint32_t local = stream.table.groupOf(call);
  return local == StreamDefinitions::kNone ? GroupCatalog::kNone
                                           : stream.group_indices[local];
}

LoadedRun loadRun(const TraceSet& set) {
  std::vector<const v1::Header*> headers;
  for (const std::size_t i : set.selected) {
    headers.push_back(&set.streams[i].header);
  }
  std::vector<v1::ClockModel> clocks = modelClocks(headers, set.clocks);

  LoadedRun run;
  StreamLoader loader(set);
  for (const std::size_t i : set.selected) {
    LoadedRun::Stream& stream = run.streams.emplace_back();
    stream.table = loader.load(set.streams[i]);
    stream.group_indices = run.groups.add(stream.table.header.attempt(),
                                          stream.table.definitions.groups());
    stream.clock = std::move(clocks[run.streams.size() - 1]);
    run.summary.add(stream.table);
  }
  return run;
}

}  // namespace traced
