// Changes a chunk that StreamBuilder wrote and makes its checksum right again.

#pragma once

#include <string>

namespace traced::testing {

// The framed chunk with another number for its compression, 0 to 127.
std::string withCompression(const std::string& framed, int compression);

}  // namespace traced::testing
