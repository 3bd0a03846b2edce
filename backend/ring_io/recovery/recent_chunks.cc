#include "ring_io/recovery/recent_chunks.h"

#include <algorithm>
#include <vector>

#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

constexpr std::size_t kParts = 2;

void addChunks(const std::string& path, std::uint64_t stream_id,
               std::uint64_t bytes, WrittenChunks& chunks) {
  auto source = FileSource::open(path);
  if (!source) return;
  const std::uint64_t begin =
      (*source)->size() - std::min((*source)->size(), bytes);
  SourceEnd end(**source, begin);
  ChunkScanner scanner(end);
  ChunkDecoder decoder;
  chunks.files.push_back(path);
  while (const auto found = scanner.next()) {
    if (decoder.parse(found->body) != DecodeStatus::kOk ||
        decoder.chunk().stream_id() != stream_id) {
      continue;
    }
    chunks.chunks.push_back({chunks.files.size() - 1,
                             begin + found->body_offset, found->body.size(),
                             decoder.chunk().end_position()});
  }
}

}  // namespace

WrittenChunks recentChunks(const std::string& part_0, std::uint64_t stream_id,
                           std::uint64_t bytes) {
  WrittenChunks chunks;
  const std::vector<TracePart> parts = existingParts(part_0);
  const std::size_t first = parts.size() - std::min(parts.size(), kParts);
  for (std::size_t i = first; i < parts.size(); ++i) {
    addChunks(parts[i].path, stream_id, bytes, chunks);
  }
  return chunks;
}

}  // namespace traced
