// Whether what a dead process's ring says of its last moments can be so.

#pragma once

#include "base/clock.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Whether a reading of the clocks in a ring may be that of a process which had
// read `written` before, and ran on this host since it was booted: not earlier
// than that, and not later than now. `header` is the stream's.
bool isBelievable(const ClockReading& beat, const ClockReading& written,
                  const v1::Header& header);

// Whether the process that wrote `header` reads the same clocks as this one.
bool sharesClocks(const v1::Header& header);

}  // namespace traced
