// NCCL's profiler plugin (NCCL_PROFILER_PLUGIN), which is loaded and called as
// NCCL does it: of a call within the call, of what is put on its way where that
// is done.

#pragma once

#include <memory>

#include "nccl/issuing.h"

namespace simulated {

// A communicator, as the plugin knows it. None of its functions does anything
// where there is no plugin.
class Profiled {
 public:
  Profiled(const std::string& name, int ranks, int rank);
  ~Profiled();
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;

  // The program calls one of NCCL's functions.
  void call(Operation& operation, bool captured) const;
  // Work of this communicator is put on its way, on this thread or, with
  // SIMULATED_NCCL_LAUNCH_ELSEWHERE, on another one, which is waited for.
  void launch(const std::vector<Operation>& operations) const;
  // The outermost group of this thread ends: before and after what it launches.
  static void groupEnds();
  static void groupEnded();

 private:
  void reportLaunch(const std::vector<Operation>& operations) const;

  bool initialized_ = false;
  void* context_ = nullptr;
  const int rank_;
};

}  // namespace simulated
