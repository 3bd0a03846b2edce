// Builds the header that every chunk of a stream carries.

#pragma once

#include <cstdint>

#include "ring_io/settings/options.h"
#include "ring_io/settings/process_info.h"
#include "traced/v1/trace.pb.h"

namespace traced {

v1::Header makeHeader(const Options& options, const ProcessIdentity& process,
                      const HostInfo& host, std::uint64_t stream_id);

}  // namespace traced
