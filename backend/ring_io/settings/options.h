// The settings of a recorder, read once from TRACED_* names and validated.
// Described for users in docs/reference/settings.md.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace traced {

// How much is measured on the device (TRACED_DEVICE_TIME).
enum class DeviceTimeMode : std::uint8_t {
  kOff,
  kEnd,   // when operations end
  kFull,  // also when they begin, and how long waits hold streams up
};

// Which operations are recorded (TRACED_SCOPE).
enum class Scope : std::uint8_t {
  kAll,
  kCrossNode,  // those of groups that are not within one node
  kNone,
};

// Who prints a line per operation (TRACED_PRINT).
enum class PrintMode : std::uint8_t {
  kOff,
  kFirstRank,  // global rank 0, its own operations
  kLeader,     // of each operation one rank
  kAll,
};

// What is said of where in the program's code operations are issued
// (TRACED_STACKS).
enum class StackMode : std::uint8_t {
  kOff,
  kSite,  // the nearest place that is the program's own
  kFull,  // the whole stack of Python
};

// How long an operation may take where watching is on and nothing else said.
inline constexpr std::int64_t kUsualWatchNs = 480'000'000'000;

struct Options {
  // In the place of a trigger: there is none.
  static constexpr char kNoTrigger[] = "0";

  bool enabled = true;                        // TRACED
  bool says_traced = false;                   // it was set
  std::string directory = "traces";           // TRACED_DIR
  std::string job = "job";                    // TRACED_JOB
  std::uint64_t ring_slots = 65536;           // TRACED_RING_MB; a power of two
  std::string ring_directory = "/dev/shm";    // TRACED_RING_DIR
  std::uint64_t max_bytes = 0;                // TRACED_MAX_BYTES; 0: no bound
  std::uint64_t window_bytes = 1U << 20;      // TRACED_WINDOW_MB; 0: none
  std::string trigger;                        // TRACED_TRIGGER; "": the usual
  std::map<std::string, std::string> labels;  // TRACED_LABELS
  Scope scope = Scope::kAll;                  // TRACED_SCOPE
  std::string node;                           // TRACED_NODE; "": the host
  PrintMode print = PrintMode::kOff;          // TRACED_PRINT
  DeviceTimeMode device_time = DeviceTimeMode::kOff;  // TRACED_DEVICE_TIME
  StackMode stacks = StackMode::kSite;                // TRACED_STACKS
  bool cpp_stacks = false;                            // TRACED_CPP_STACKS
  std::int64_t watch_ns = 0;      // TRACED_WATCH; 0: any time
  std::int64_t resources_ns = 0;  // TRACED_RESOURCES; 0: no samples
  bool auto_step = false;         // TRACED_AUTO_STEP
  bool nvtx = false;              // TRACED_NVTX
  bool profiler_ranges = false;   // TRACED_PROFILER_RANGES
  bool nccl_profiler = false;     // TRACED_NCCL_PROFILER
  bool modules = false;           // TRACED_MODULES
  bool keeper = true;             // TRACED_KEEPER
  bool announce = true;           // TRACED_ANNOUNCE

  // The file that asks for a flush when it is touched; "" if there is none.
  std::string triggerPath() const;

  // The settings in force, by their names, for the file's header.
  std::map<std::string, std::string> asSettings() const;
};

// Looks a variable up; nullopt when it is not set.
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

// Defaults, overlaid by what `lookup` finds. The error names the variable, its
// value and what would be right. An empty value counts as not set.
Result<Options> parseOptions(const Lookup& lookup);

}  // namespace traced
