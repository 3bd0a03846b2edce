#include "analysis/digest/digest_file.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "trace_io/chunk_scanner.h"

namespace traced {

std::string DigestFile::encode(const TraceStream& stream,
                               const v1::Payload& payload, std::uint64_t look,
                               std::size_t streams) {
  ChunkSpan span;
  span.first_position = stream.chunks.front().first_position;
  for (const ChunkRef& chunk : stream.chunks) {
    span.end_position = std::max(span.end_position, chunk.end_position);
  }
  v1::DigestOf of;
  of.set_stream_id(stream.header.stream_id());
  of.set_look(look);
  of.set_streams(static_cast<std::uint32_t>(streams));
  return encoder_.encode(payload, span, &of);
}

void DigestFile::put(const std::vector<DigestLookRef>& looks) {
  for (const DigestLookRef& look : looks) {
    v1::Payload payload;
    *payload.mutable_digest_look() = look.look;
    v1::DigestOf of;
    of.set_look(look.hash);
    put(encoder_.encode(payload, {}, &of));
  }
}

void DigestFile::put(std::vector<ChunkRef> chunks) {
  std::stable_sort(
      chunks.begin(), chunks.end(), [](const ChunkRef& a, const ChunkRef& b) {
        return std::tie(a.first_position, a.end_position, a.checksum) <
               std::tie(b.first_position, b.end_position, b.checksum);
      });
  for (const ChunkRef& chunk : chunks) {
    const std::string_view body = loader_.body(chunk);
    if (body.empty()) {
      problem_ = absl::StrCat(set_.files[chunk.file].path,
                              ": changed while it was being read");
      return;
    }
    put(chunkFraming(body.size()));
    put(body);
  }
}

void DigestFile::put(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes_ += bytes.size();
}

}  // namespace traced
