#include "ring_io/recovery/heartbeat.h"

#include "ring_io/settings/process_info.h"

namespace traced {

bool isBelievable(const ClockReading& beat, const ClockReading& written,
                  const v1::Header& header) {
  if (!sharesClocks(header)) return false;
  const ClockReading now = readClocks();
  return written.monotonic_ns <= beat.monotonic_ns &&
         beat.monotonic_ns <= now.monotonic_ns &&
         written.boottime_ns <= beat.boottime_ns &&
         beat.boottime_ns <= now.boottime_ns;
}

bool sharesClocks(const v1::Header& header) {
  const HostInfo here = readHostInfo();
  return !here.boot_id.empty() && header.boot_id() == here.boot_id &&
         header.time_namespace() == here.time_namespace;
}

}  // namespace traced
