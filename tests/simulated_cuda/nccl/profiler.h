// Loads and calls NCCL's profiler plugin (NCCL_PROFILER_PLUGIN) as NCCL does:
// API events within the call, launch events where the launch happens.

#pragma once

#include <memory>

#include "nccl/issuing.h"

namespace simulated {

// A communicator as the plugin sees it. Every function does nothing without a
// plugin.
class Profiled {
 public:
  Profiled(const std::string& name, int ranks, int rank);
  ~Profiled();
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;

  // Reports a call of one of NCCL's functions.
  void call(Operation& operation, bool captured) const;
  // Reports the launch of this communicator's work on this thread. With
  // SIMULATED_NCCL_LAUNCH_ELSEWHERE it uses another thread and waits for it.
  void launch(const std::vector<Operation>& operations) const;
  // Report the end of this thread's outermost group, before and after its
  // launches.
  static void groupEnds();
  static void groupEnded();

 private:
  void reportLaunch(const std::vector<Operation>& operations) const;

  bool initialized_ = false;
  void* context_ = nullptr;
  const int rank_;
};

}  // namespace simulated
