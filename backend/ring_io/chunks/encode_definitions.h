// Encodes the recorder's knowledge and the ring's definitions as the messages
// of a chunk.

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

// Returns the header that every chunk of a stream repeats.
v1::Header makeHeader(const Options& options, const ProcessIdentity& process,
                      const HostInfo& host, std::uint64_t stream_id);

// Decode bytes() of a CallDescription or BufferList. The bytes may be hostile.
v1::Call encodeCall(std::uint32_t id, std::string_view bytes);
v1::Buffers encodeBuffers(std::uint32_t id, std::string_view bytes);

// Returns the message of a group. The thread that defines the group serializes
// it into the ring. `nth` is Group.nth of definitions.proto.
v1::Group encodeGroup(std::uint32_t id, const GroupInfo& info,
                      std::uint32_t nth);

}  // namespace traced
