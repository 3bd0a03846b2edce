// Turns the recorder's descriptions, as they travel through the ring, into the
// messages of a chunk.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ring_io/ring/group_info.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Of CallDescription and BufferList: their bytes().
v1::Call encodeCall(std::uint32_t id, std::string_view bytes);
v1::Buffers encodeBuffers(std::uint32_t id, std::string_view bytes);

// A group travels as its message, serialized by the thread that defines it.
v1::Group encodeGroup(std::uint32_t id, const GroupInfo& info,
                      std::uint32_t nth);

}  // namespace traced
