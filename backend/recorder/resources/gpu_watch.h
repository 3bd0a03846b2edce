// Looks at the process's GPU through NVML, on a thread of its own: a driver in
// trouble may block each call.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

// The state at the latest look. Values that NVML does not report are absent.
struct GpuState {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> max_sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  // Bits of nvmlClocksEventReasons.
  std::optional<unsigned long long> throttle_reasons;
  std::optional<unsigned> temperature;
  // Uncorrected errors since the driver was loaded.
  std::optional<unsigned long long> ecc_errors;
  // The latest critical XID error since the state was last taken. 0: none.
  unsigned long long xid = 0;
};

// Starts to look at a GPU every `interval_ns`. Only the first call of a process
// has an effect. Never blocks and never throws.
void watchGpu(const std::string& pci_bus_id, std::int64_t interval_ns) noexcept;

// Returns the latest state. Absent if no GPU is watched, or if the latest look
// is more than two intervals before `now_ns`.
std::optional<GpuState> takeGpuState(std::int64_t now_ns);

}  // namespace traced
