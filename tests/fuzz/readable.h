// Checks that a reader accepts the output of a recovery.

#pragma once

#include "fuzz/target.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced::testing {

// Requires that every byte belongs to a chunk and that every chunk can be
// decoded.
inline void requireReadable(ByteSource& source) {
  ChunkScanner scanner(source);
  ChunkDecoder decoder;
  while (const auto chunk = scanner.next()) {
    require(decoder.parse(chunk->body) == DecodeStatus::kOk &&
                decoder.decode() == DecodeStatus::kOk,
            "every chunk can be read");
  }
  require(scanner.unusable().total() == 0, "the chunks are whole");
}

}  // namespace traced::testing
