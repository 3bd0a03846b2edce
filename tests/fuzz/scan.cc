// Input: any bytes. Each is in a chunk or counted as unusable. Protobuf and the
// packed reader return the same rows.

#include "fuzz/target.h"
#include "fuzz/trace_mutator.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/rows.h"

using traced::testing::require;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed) {
  return traced::testing::mutateTrace(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  traced::MemorySource source({reinterpret_cast<const char*>(data), size});
  traced::ChunkScanner scanner(source);
  traced::ChunkDecoder decoder;
  std::uint64_t used = 0;
  std::uint64_t end = 0;
  while (const auto chunk = scanner.next()) {
    require(traced::isValidChunk(chunk->body), "a scanned chunk is valid");
    require(chunk->offset >= end, "chunks do not overlap");
    end = chunk->body_offset + chunk->body.size();
    if (decoder.parse(chunk->body) != traced::DecodeStatus::kOk) {
      scanner.refuse();
      continue;
    }
    used += end - chunk->offset;
    const bool decoded = decoder.decode() == traced::DecodeStatus::kOk;
    const bool agree = decoded && traced::columnsAgree(decoder.payload());
    const std::uint64_t rows = agree ? traced::rowCount(decoder.payload()) : 0;
    // decodePacked() does not check the header.
    const bool packed = decoder.decodePacked() == traced::DecodeStatus::kOk;
    require(packed || !decoded, "what one way of decoding takes, both take");
    if (!agree || !decoder.rows()) continue;
    require(
        decoder.rows()->columnsAgree() && decoder.rows()->rowCount() == rows,
        "both find the same rows");
  }
  require(used + scanner.unusable().total() == size, "bytes are accounted for");
  return 0;
}
