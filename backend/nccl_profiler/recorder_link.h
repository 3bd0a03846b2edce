// What the extension gives to the library that NCCL loads: NCCL may load it in
// a process that records nothing, and the library depends on nothing.

#pragma once

#include <cstdint>

namespace traced::nccl {

// An operation, as the recorder names it.
struct Operation {
  void* recorder = nullptr;  // null: none
  std::uint64_t id = 0;
};

struct RecorderLink {
  // The operation whose call the calling thread is in.
  Operation (*operation)() noexcept;
  // How it is carried out; "" and 0 are not known.
  void (*method)(const Operation& operation, const char* algorithm,
                 const char* protocol, unsigned channels) noexcept;
  // A sentence for stderr.
  void (*say)(const char* sentence) noexcept;
};

// The function of the library that takes the link, which must stay.
inline constexpr char kConnect[] = "traced_nccl_profiler_connect";
using Connect = void(const RecorderLink* link);

// Names the plugin that the user wants, as NCCL_PROFILER_PLUGIN did. A
// variable, so that processes that this one starts know it, too.
inline constexpr char kNextPlugin[] = "NCCL_PROFILER_PLUGIN_NEXT";

}  // namespace traced::nccl
