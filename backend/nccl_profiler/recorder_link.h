// RecorderLink is the interface that the Python extension passes to the
// profiler library. The library has no dependencies, because NCCL may load it
// in a process that does not record.

#pragma once

#include <cstdint>

namespace traced::nccl {

// The recorder's id of an operation.
struct Operation {
  void* recorder = nullptr;  // null: none
  std::uint64_t id = 0;
};

struct RecorderLink {
  // Returns the operation whose call the calling thread is executing.
  Operation (*operation)() noexcept;
  // Records how NCCL executes the operation. "" and 0 mean unknown.
  void (*method)(const Operation& operation, const char* algorithm,
                 const char* protocol, unsigned channels) noexcept;
  // Writes one sentence to stderr.
  void (*log)(const char* message) noexcept;
};

// The library function that receives the link. The link must never be
// destroyed.
inline constexpr char kConnect[] = "traced_nccl_profiler_connect";
using Connect = void(const RecorderLink* link);

// Environment variable with the plugin that the user set as
// NCCL_PROFILER_PLUGIN. An environment variable, so that child processes
// inherit it.
inline constexpr char kNextPlugin[] = "NCCL_PROFILER_PLUGIN_NEXT";

}  // namespace traced::nccl
