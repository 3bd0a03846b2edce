// The registry in which torch keeps the Works of functional collectives.

#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace traced {

// Removes a Work from the registry, as every wait() must. Does nothing if torch
// does not use the registry. The registry holds the Work that was returned to
// it, so a Work inside of that one could only remove itself.
inline void leaveRegistry(c10d::Work& work) {
  if (c10d::allow_inflight_collective_as_graph_input()) {
    c10d::unregister_work(
        c10::intrusive_ptr<c10d::Work>::unsafe_reclaim_from_nonowning(&work));
  }
}

}  // namespace traced
