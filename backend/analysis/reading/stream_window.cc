#include "analysis/reading/stream_window.h"

#include <iterator>
#include <utility>

namespace traced {

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
