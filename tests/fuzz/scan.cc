// Any bytes: every one of them is in a chunk, or counted as unusable.

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
    if (decoder.decode() == traced::DecodeStatus::kOk &&
        traced::columnsAgree(decoder.payload())) {
      traced::rowCount(decoder.payload());
    }
  }
  require(used + scanner.unusable().total() == size, "bytes are accounted for");
  return 0;
}
