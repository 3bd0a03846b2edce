// Whether the process that wrote a stream runs, as this host tells where there
// is no ring to tell it.

#pragma once

#include "ring_io/settings/process_info.h"
#include "traced/v1/trace.pb.h"

namespace traced {

enum class ProcessLife {
  kRuns,
  kEnded,
  // It is on another host, or in a container that numbers processes in its own
  // way: nothing here says whether it runs.
  kUnseen,
};

ProcessLife lifeOf(const v1::Header& header, const HostInfo& here);

}  // namespace traced
