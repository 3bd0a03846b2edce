// NextPlugin is the profiler plugin that NCCL would have loaded without us. It
// is told all that NCCL would have told it.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "nccl_profiler/interface.h"

namespace traced::nccl {

class NextPlugin {
 public:
  // Looks for it. `version`: of the interface that NCCL uses; the plugin's is
  // that, or the next older one that it has. nullptr: there is none; `problem`
  // says why, if it is wanted. Never destroyed.
  static NextPlugin* load(int version, std::string& problem);

  struct Communicator {
    std::uint64_t id;
    const char* name;
    int nodes, ranks, rank;
    Logger logger;
  };
  Status init(void** context, const Communicator& communicator);
  // Only if it would be told of the event.
  Status start(void* context, void** handle, Event* event, unsigned type);
  Status stop(void* handle) { return functions_->stop(handle); }
  Status record(void* handle, int state, void* arguments) {
    return functions_->record(handle, state, arguments);
  }
  Status finalize(void* context) { return functions_->finalize(context); }

  // What it wants to know of; it may change that at any time.
  int wanted() { return std::atomic_ref(wanted_).load(); }

 private:
  // What all versions have in common.
  using Functions = Profiler<void (*)()>;

  NextPlugin(const Functions* functions, int version)
      : functions_(functions), version_(version) {}
  bool hasListener(unsigned type);

  const Functions* const functions_;
  const int version_;
  int wanted_ = 0;
};

}  // namespace traced::nccl
