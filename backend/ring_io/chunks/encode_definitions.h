// Turns what the recorder knows, also as it travels through the ring, into the
// messages of a chunk.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ring_io/ring/group_info.h"
#include "ring_io/settings/options.h"
#include "ring_io/settings/process_info.h"
#include "traced/v1/definitions.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Builds the header that every chunk of a stream carries.
v1::Header makeHeader(const Options& options, const ProcessIdentity& process,
                      const HostInfo& host, std::uint64_t stream_id);

// Of CallDescription and BufferList: their bytes().
v1::Call encodeCall(std::uint32_t id, std::string_view bytes);
v1::Buffers encodeBuffers(std::uint32_t id, std::string_view bytes);

// A group travels as its message, serialized by the thread that defines it.
v1::Group encodeGroup(std::uint32_t id, const GroupInfo& info,
                      std::uint32_t nth);

}  // namespace traced
