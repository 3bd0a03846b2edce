// Chunks whose fields are anything and whose framing and checksum are right.

#pragma once

#include <string>

#include "traced/v1/trace.pb.h"

namespace traced::testing {

// `chunk` as it lies in a file. Its sync word, checksum and size are not looked
// at.
std::string framed(v1::Chunk chunk);

// The framed chunk, of a payload that is not compressed, with zstd: also where
// no writer would compress it, because no reader would take it.
std::string compressed(const std::string& whole);

// The framed chunk with another number for its compression, 0 to 127.
std::string withCompression(const std::string& whole, int compression);

}  // namespace traced::testing
