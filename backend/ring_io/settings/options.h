// Defines the recorder's settings, which are read once from TRACED_* names and
// validated. docs/reference/settings.md describes them for users.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace traced {

// What is measured on the device (TRACED_DEVICE_TIME).
enum class DeviceTimeMode : std::uint8_t {
  kOff,
  kEnd,   // ends of operations
  kFull,  // also their starts, and how long waits stall streams
};

// Which operations are recorded (TRACED_SCOPE).
enum class Scope : std::uint8_t {
  kAll,
  kCrossNode,  // groups that span several nodes
  kNone,
};

// Which ranks print a line per operation (TRACED_PRINT).
enum class PrintMode : std::uint8_t {
  kOff,
  kFirstRank,  // global rank 0, for its own operations
  kLeader,     // one rank of each operation
  kAll,
};

// What is printed, and when (TRACED_PRINT).
struct PrintOptions {
  PrintMode ranks = PrintMode::kOff;
  // A line of text when an operation is over, and not one of JSON when it is
  // issued.
  bool when_done = false;

  bool any() const { return ranks != PrintMode::kOff; }
};

// How much of the issuing call stack is recorded (TRACED_STACKS).
enum class StackMode : std::uint8_t {
  kOff,
  kSite,  // the innermost frame of the program's own code
  kFull,  // the whole Python stack
};

// How operations are shown to NVTX tools (TRACED_NVTX).
enum class NvtxMode : std::uint8_t {
  kOff,
  kRanges,
  kJson,  // ranges, and marks with JSON text
};

// Which threads are sampled besides the main thread
// (TRACED_STANDSTILL_THREADS).
enum class SampledThreads : std::uint8_t {
  kIssuing,  // those that issued an operation
  kAll,      // all that run Python
};

// What is recorded about the content of tensors (TRACED_VALUES).
struct ValueOptions {
  bool statistics = false;
  bool hashes = false;
  std::uint64_t every = 1;  // TRACED_VALUES_EVERY: one in so many operations
  // TRACED_VALUES_MB: memory of the host, per device, for copies of tensors.
  std::uint64_t copied_bytes = std::uint64_t{256} << 20;

  bool any() const { return statistics || hashes; }
};

// Time limit per operation if watching is on without an explicit value.
inline constexpr std::int64_t kUsualWatchNs = 480'000'000'000;

struct Options {
  // The value of `trigger` that disables the trigger file.
  static constexpr char kNoTrigger[] = "0";

  bool enabled = true;                        // TRACED
  bool traced_is_set = false;                 // TRACED was set explicitly
  std::string directory = "traces";           // TRACED_DIR
  std::string job = "job";                    // TRACED_JOB
  std::uint64_t ring_slots = 65536;           // TRACED_RING_MB; a power of two
  std::string ring_directory = "/dev/shm";    // TRACED_RING_DIR
  std::uint64_t max_bytes = 0;                // TRACED_MAX_BYTES; 0: unlimited
  std::uint64_t window_bytes = 1U << 20;      // TRACED_WINDOW_MB; 0: none
  std::string trigger;                        // TRACED_TRIGGER; "": the default
  std::map<std::string, std::string> labels;  // TRACED_LABELS
  Scope scope = Scope::kAll;                  // TRACED_SCOPE
  std::string node;                           // TRACED_NODE; "": the host
  PrintOptions print;                         // TRACED_PRINT
  DeviceTimeMode device_time = DeviceTimeMode::kOff;  // TRACED_DEVICE_TIME
  StackMode stacks = StackMode::kSite;                // TRACED_STACKS
  bool cpp_stacks = false;                            // TRACED_CPP_STACKS
  std::int64_t watch_ns = 0;                  // TRACED_WATCH; 0: no limit
  std::int64_t resources_ns = 1'000'000'000;  // TRACED_RESOURCES; 0: no samples
  std::int64_t standstill_ns = 5'000'000'000;  // TRACED_STANDSTILL; 0: never
  SampledThreads standstill_threads =
      SampledThreads::kIssuing;  // TRACED_STANDSTILL_THREADS
  ValueOptions values;
  std::uint64_t replicas_every = 0;  // TRACED_REPLICAS, in steps; 0: never
  bool auto_step = false;            // TRACED_AUTO_STEP
  NvtxMode nvtx = NvtxMode::kOff;    // TRACED_NVTX
  bool profiler_ranges = false;      // TRACED_PROFILER_RANGES
  bool nccl_profiler = false;        // TRACED_NCCL_PROFILER
  bool modules = false;              // TRACED_MODULES
  bool reasons = false;              // TRACED_REASONS
  bool keeper = true;                // TRACED_KEEPER
  bool announce = true;              // TRACED_ANNOUNCE

  // Returns the path of the file whose change requests a flush, or "" if
  // disabled.
  std::string triggerPath() const;

  // Returns the settings in force by name, for the trace's header.
  std::map<std::string, std::string> asSettings() const;
};

// Returns the value of a variable, or nullopt if it is not set.
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

// Returns the defaults, overridden by the values that `lookup` finds. The error
// names the variable, its value and what is valid. An empty value counts as not
// set.
Result<Options> parseOptions(const Lookup& lookup);

}  // namespace traced
