#include "analysis/reading/ring_chunks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/reading/index_files.h"

namespace traced {

void addRingChunks(TraceSet& set, const std::string& path) {
  const std::vector<std::string> paths = {path};
  TraceSet more = indexFiles(paths, {}).finish({});
  if (more.files.empty()) return;
  const auto file = static_cast<std::uint32_t>(set.files.size());
  set.files.push_back(std::move(more.files.front()));
  set.files.back().from_rings = true;
  for (TraceStream& stream : more.streams) {
    for (ChunkRef& chunk : stream.chunks) chunk.file = file;
    const auto known = std::find_if(
        set.streams.begin(), set.streams.end(), [&](const TraceStream& each) {
          return each.header.stream_id() == stream.header.stream_id();
        });
    if (known != set.streams.end()) {
      known->chunks.insert(known->chunks.end(), stream.chunks.begin(),
                           stream.chunks.end());
    } else {
      set.streams.push_back(std::move(stream));
    }
  }
  std::sort(set.streams.begin(), set.streams.end(), comesFirst);
}

}  // namespace traced
