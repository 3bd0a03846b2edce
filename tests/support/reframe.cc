#include "support/reframe.h"

#include <cstdint>
#include <cstring>

#include "trace_io/chunk_format.h"
#include "trace_io/chunk_scanner.h"
#include "traced/v1/trace.pb.h"
#include "xxhash.h"

namespace traced::testing {

std::string withCompression(const std::string& framed, int compression) {
  const std::size_t begin = framed.find('\x09');
  v1::Chunk chunk;
  chunk.ParseFromString(framed.substr(begin + kChunkPrefixBytes));
  chunk.set_compression(static_cast<v1::Compression>(compression));
  const std::string fields = chunk.SerializeAsString();

  std::string body = framed.substr(begin, kChunkPrefixBytes) + fields;
  const auto size = static_cast<std::uint32_t>(fields.size());
  std::memcpy(body.data() + kCheckedOffset + 1, &size, sizeof size);
  const std::uint64_t checksum =
      XXH3_64bits(body.data() + kCheckedOffset, body.size() - kCheckedOffset);
  std::memcpy(body.data() + kChecksumOffset + 1, &checksum, sizeof checksum);
  return chunkFraming(body.size()) + body;
}

}  // namespace traced::testing
