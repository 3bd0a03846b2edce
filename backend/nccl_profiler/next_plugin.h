// NextPlugin is the profiler plugin that NCCL would have loaded without traced.
// It receives the callbacks that NCCL would have made. Thread safety: any
// thread, as NCCL calls.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "nccl_profiler/interface.h"

namespace traced::nccl {

class NextPlugin {
 public:
  // Loads the plugin. `version` is the interface version that NCCL uses. The
  // plugin is called through that version, or through the newest older one it
  // exports. Returns nullptr if no plugin is available. `problem` then holds
  // the reason, or "" if the user asked for none and none is installed. The
  // result is never destroyed.
  static NextPlugin* load(int version, std::string& problem);

  struct Communicator {
    std::uint64_t id;
    const char* name;
    int nodes, ranks, rank;
    Logger logger;
  };
  // Calls the plugin's init() with the arguments of its version.
  Status init(void** context, const Communicator& communicator);
  // Forwards the event if the plugin's activation mask selects it. Otherwise
  // sets `*handle` to nullptr.
  Status start(void* context, void** handle, Event* event, unsigned type);
  Status stop(void* handle) { return functions_->stop(handle); }
  Status record(void* handle, int state, void* arguments) {
    return functions_->record(handle, state, arguments);
  }
  Status finalize(void* context) { return functions_->finalize(context); }

  // Returns the plugin's activation mask, which it may change at any time.
  int wanted() { return std::atomic_ref(wanted_).load(); }

 private:
  // The fields that are common to all versions.
  using Functions = Profiler<void (*)()>;

  NextPlugin(const Functions* functions, int version)
      : functions_(functions), version_(version) {}
  // Returns whether the plugin receives events of this type.
  bool hasListener(unsigned type);

  const Functions* const functions_;
  const int version_;
  int wanted_ = 0;
};

}  // namespace traced::nccl
