// Frames chunks with arbitrary fields and a valid checksum.

#pragma once

#include <string>

#include "traced/v1/trace.pb.h"

namespace traced::testing {

// Returns `chunk` with valid framing. Its sync word, checksum and size are
// ignored.
std::string framed(v1::Chunk chunk);

// Compresses an uncompressed framed chunk with zstd, even if a reader would
// refuse the result.
std::string compressed(const std::string& whole);

// Returns the framed chunk with another compression number, 0 to 127.
std::string withCompression(const std::string& whole, int compression);

}  // namespace traced::testing
