#include "analysis/reading/stream_window.h"

namespace traced {

void keepLatest(TraceSet& set, std::uint64_t bytes_per_stream) {
  for (TraceStream& stream : set.streams) {
    std::uint64_t bytes = 0;
    auto first = stream.chunks.end();
    while (first != stream.chunks.begin()) {
      bytes += std::prev(first)->body_bytes;
      if (bytes > bytes_per_stream && first != stream.chunks.end()) break;
      --first;
    }
    if (first == stream.chunks.begin()) continue;
    stream.chunks.erase(stream.chunks.begin(), first);
    stream.begins_later = true;
  }
}

}  // namespace traced
